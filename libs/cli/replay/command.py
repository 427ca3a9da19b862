"""`sparrow replay`: matches run again from their events; with `--as-of`, the boards of an instant."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated

import typer

from libs.cli.connection import DataDirOption, EndpointOption
from libs.cli.events.command import KeyFileOption
from libs.cli.events.instants import parse_instant
from libs.cli.events.site import Site
from libs.cli.ledger.replay import MISUSED, replay_boards
from libs.cli.ledger.showing import bar
from libs.cli.replay.rerun import Rerun, rerun
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json

SHOWN = 50


def replay_command(
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="T", help="matches begun then or later: a Romanian day or an instant"),
    ] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="T", help="matches begun before then")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="T", help="the boards as of then, in place of matches")
    ] = None,
    rows: Annotated[
        int, typer.Option(min=0, help="with --as-of: how many rows of each board are printed")
    ] = 10,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Run matches again from their events, or the boards of an instant; 1 if anything differs."""
    site = Site(endpoint, data_dir, key_file)
    if as_of is not None:
        if since is not None or until is not None:
            fail("Say --as-of for boards, or --from and --to for matches", MISUSED)
        replay_boards(site, as_of, rows, as_json=as_json)
    begin, end = _instant("--from", since), _instant("--to", until)

    async def work() -> Rerun:
        with bar() as told:
            async with site.client() as client:
                return await rerun(
                    client, begin, end, lambda done, of: told("running matches again", done, of)
                )

    found = site.run(work)
    if as_json:
        print_json(
            {
                "attempts": found.attempts,
                "matches": found.matches,
                "rounds": found.rounds,
                "races": found.races,
                "pools": found.pools,
                "tables": found.tables,
                "deals": found.deals,
                "events": found.events,
                "running": found.running,
                "differences": len(found.differences),
                "named": [{"game": name, "difference": said} for name, said in found.differences],
            }
        )
    else:
        _show(found)
    sys.exit(1 if found.differences else 0)


def _show(found: Rerun) -> None:
    out, count = console(), len(found.differences)
    mark = "[bold red]✗[/]" if count else "[bold green]✓[/]"
    rounds = f"{found.matches:,} matches of {found.rounds:,} rounds"
    others = f"{found.races:,} races, {found.pools:,} games of the pool"
    tables = f"{found.tables:,} MCR tables of {found.deals:,} deals"
    out.print(f"{mark} {found.attempts:,} attempts, {rounds}, {others}, {tables}")
    out.print(f"  {found.events:,} events: {count:,} differences")
    if found.running:
        out.print(f"  {found.running:,} {'is' if found.running == 1 else 'are'} still being played")
    for name, said in found.differences[:SHOWN]:
        out.print(foreign(f"  {name}: {said}"))
    if count > SHOWN:
        out.print(f"  … and {count - SHOWN:,} more")


def _instant(option: str, text: str | None) -> datetime | None:
    try:
        return None if text is None else parse_instant(text)
    except ValueError as error:
        fail(f"{option} is {error}", MISUSED)
