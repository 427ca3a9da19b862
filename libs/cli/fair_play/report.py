"""`sparrow report`: tell the operators about another player."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
    find_settings,
)
from libs.cli.terminal import JsonFlag, console, print_json, run
from libs.client.reporting import ReportReason


def report(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help='"players/<uuid>"')],
    reason: Annotated[ReportReason, typer.Argument(help="for what")],
    match: Annotated[str, typer.Option(metavar="MATCH", help='where: "matches/<uuid>"')] = "",
    text: Annotated[str, typer.Option(help="in your words, at most 500 characters")] = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Report another player to the operators."""
    target = find_endpoint(endpoint, find_settings())

    async def work() -> str:
        async with await connect(target, profile) as client:
            return await client.reporting.report(player, reason, match=match, text=text)

    name = run(work(), target)
    if as_json:
        print_json({"report": name})
        return
    console().print(f"[bold green]✓[/] {escape(name)}: an operator will look at it")
