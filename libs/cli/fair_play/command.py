"""`sparrow operator players|flags|reports|close-report`: what play looks like, and what players say of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import typer
from rich.markup import escape

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.fair_play.tables import figures_table, flags_table, reports_table
from libs.cli.operator_keys import KeyFileOption, operator_token
from libs.cli.terminal import JsonFlag, console, foreign, print_json, run
from libs.client.fair_play import FairPlayOperator, PlayerReport, PlayFlag

PlayerOption = Annotated[str, typer.Option(metavar="PLAYER", help="of one player alone")]
MostOption = Annotated[int, typer.Option(min=1, max=200, help="at most so many")]


def players(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help='"players/<uuid>"')],
    days: Annotated[int, typer.Option(min=1, max=90, help="of the last so many days, UTC")] = 28,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what a player's play looks like: figures by mode, flags, reports."""

    async def work(client: FairPlayOperator) -> None:
        figures = await client.statistics(player, days)
        raised = await client.flags(player, with_dismissed=True)
        said = await client.reports(player, with_closed=True)
        names = await client.profiles([player, *_everybody(raised, said)])
        if as_json:
            document = {"player": player, "days": days, "statistics": [asdict(each) for each in figures]}
            print_json(document | {"flags": _documents(raised), "reports": _documents(said)})
            return
        out = console()
        title = foreign(names[player].display_name) if player in names else foreign("nobody known")
        out.print(title, f"[dim]{escape(player)}, {days} days[/]")
        out.print(figures_table(figures) if figures else "Played nothing that has ended.")
        out.print(flags_table(raised, names) if raised else "No flags.")
        out.print(reports_table(said, names) if said else "No reports.")

    _ask(work, key_file, endpoint, data_dir)


flag_commands = typer.Typer(help="List play that no person could produce; dismiss a flag.")


@flag_commands.callback(invoke_without_command=True)
def flags(
    context: typer.Context,
    player: PlayerOption = "",
    dismissed: Annotated[bool, typer.Option("--dismissed", help="dismissed ones, too")] = False,
    most: MostOption = 50,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List play that no person could produce, the newest first. A flag changes no result by itself."""
    if context.invoked_subcommand is not None:
        return

    async def work(client: FairPlayOperator) -> None:
        raised = await client.flags(player, with_dismissed=dismissed, most=most)
        if as_json:
            print_json({"flags": _documents(raised)})
            return
        names = await client.profiles(_everybody(raised, ()))
        console().print(flags_table(raised, names) if raised else "No flags.")

    _ask(work, key_file, endpoint, data_dir)


@flag_commands.command("dismiss")
def dismiss(
    flag: Annotated[str, typer.Argument(metavar="FLAG", help='"flags/<uuid>"')],
    reason: Annotated[str, typer.Option(help="why, at most 500 characters")],
    name: Annotated[str, typer.Option("--as", help="who dismisses it")] = "operator",
    request_id: Annotated[str, typer.Option(help="the id of a call to repeat; new by itself")] = "",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Dismiss a flag with the reason; one that is dismissed stays as it is."""

    async def work(client: FairPlayOperator) -> None:
        told = await client.dismiss_flag(flag, reason, request_id or str(uuid4()))
        if as_json:
            print_json(_documents([told])[0])
            return
        console().print(flags_table([told], await client.profiles(_everybody([told], ()))))

    _ask(work, key_file, endpoint, data_dir, name)


def reports(
    player: PlayerOption = "",
    closed: Annotated[bool, typer.Option("--closed", help="closed ones, too")] = False,
    most: MostOption = 50,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List what players report of others, the newest first."""

    async def work(client: FairPlayOperator) -> None:
        said = await client.reports(player, with_closed=closed, most=most)
        if as_json:
            print_json({"reports": _documents(said)})
            return
        names = await client.profiles(_everybody((), said))
        console().print(reports_table(said, names) if said else "No reports.")

    _ask(work, key_file, endpoint, data_dir)


def close(
    report: Annotated[str, typer.Argument(metavar="REPORT", help='"reports/<uuid>"')],
    finding: Annotated[str, typer.Option(help="what was found")] = "",
    name: Annotated[str, typer.Option("--as", help="who closes it")] = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Close a report with what was found; one that is closed stays as it is."""

    async def work(client: FairPlayOperator) -> None:
        told = await client.close_report(report, finding, str(uuid4()))
        if as_json:
            print_json(_documents([told])[0])
            return
        console().print(reports_table([told], await client.profiles(_everybody((), [told]))))

    _ask(work, key_file, endpoint, data_dir, name)


def _ask(
    work: Callable[[FairPlayOperator], Awaitable[None]],
    key_file: Path | None,
    endpoint: str | None,
    data_dir: Path | None,
    name: str = "operator",
) -> None:
    settings = find_settings(data_dir)
    target = find_endpoint(endpoint, settings)
    token = operator_token(key_file, settings, name)

    async def connected() -> None:
        async with FairPlayOperator(target, token) as client:
            await work(client)

    run(connected(), target)


def _everybody(raised: Sequence[PlayFlag], said: Sequence[PlayerReport]) -> list[str]:
    return [each.player for each in raised] + [who for each in said for who in (each.player, each.reporter)]


def _documents(results: Sequence[PlayFlag] | Sequence[PlayerReport]) -> list[dict[str, Any]]:
    """Return results for `--json`, times in ISO 8601."""
    return [
        {
            key: value.isoformat() if isinstance(value, datetime) else value
            for key, value in asdict(each).items()
        }
        for each in results
    ]
