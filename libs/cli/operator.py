"""`sparrow operator`: what only an operator may do, with a token that the operator key signs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated
from uuid import uuid4

import typer
from rich.markup import escape

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.fair_play.command import close, flag_commands, players, reports
from libs.cli.operator_keys import KeyFileOption, operator_token
from libs.cli.terminal import JsonFlag, console, fail, print_json, run
from libs.client.operator import OperatorClient
from libs.client.results import Granted

app = typer.Typer(no_args_is_help=True, help="Run the site.")
app.command("players")(players)
app.add_typer(flag_commands, name="flags")
app.command("reports")(reports)
app.command("close-report")(close)


@app.callback()
def operator() -> None:
    """Run the site."""


@app.command("grant")
def grant(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help='"players/<uuid>"')],
    jokers: Annotated[int, typer.Option(min=0, max=1_000_000, help="how many jokers")] = 0,
    chips: Annotated[int, typer.Option(min=0, max=1_000_000, help="how many chips")] = 0,
    reason: Annotated[str, typer.Option(help="capitals, digits and underscores")] = "OPERATOR_GRANT",
    name: Annotated[str, typer.Option("--as", help="who grants")] = "operator",
    request_id: Annotated[str, typer.Option(help="the id of a grant to repeat; new by itself")] = "",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Give a player jokers or chips."""
    if (jokers > 0) == (chips > 0):
        fail("Say --jokers N or --chips N")
    settings = find_settings(data_dir)
    target = find_endpoint(endpoint, settings)
    token = operator_token(key_file, settings, name)
    request_id = request_id or str(uuid4())

    async def work() -> Granted | None:
        async with OperatorClient(target, token) as client:
            if await client.profile(player) is None:
                return None
            return await client.grant(
                player, jokers=jokers, chips=chips, reason=reason, request_id=request_id
            )

    granted = run(work(), target)
    if granted is None:
        fail(f"There is no {escape(player)}")
    if as_json:
        print_json({**asdict(granted), "request_id": request_id})
        return
    what = f"{granted.amount} {granted.asset.lower()}{'s' if granted.amount != 1 else ''}"
    console().print(f"[bold green]✓[/] {what} for {granted.player} [dim](--request-id {request_id})[/]")
