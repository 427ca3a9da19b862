"""`sparrow replay --as-of T`: the boards of an instant from the log, held against the service's."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Final, NoReturn

from rich.table import Table

from libs.cli.events.instants import parse_instant
from libs.cli.events.site import Site
from libs.cli.ledger.operating import ledger_operator
from libs.cli.ledger.replaying import Replayed, held_against, replay
from libs.cli.ledger.showing import bar, print_faults
from libs.cli.terminal import console, fail, print_json
from libs.client.ledger_operations import LedgerFault

MISUSED: Final = 2
NAMED_MAX: Final = 1_000


def replay_boards(site: Site, as_of: str, rows: int, *, as_json: bool) -> NoReturn:
    """Recompute the boards as of an instant from the log, compare with the service; exit 1 if they differ."""
    try:
        at = parse_instant(as_of)
    except ValueError as error:
        fail(f"--as-of is {error}", MISUSED)

    async def work() -> tuple[Replayed, list[LedgerFault], int]:
        with bar() as told:
            async with site.client() as client:
                replayed = await replay(client, at, told)
            named: list[LedgerFault] = []
            count = 0
            async with ledger_operator(site) as operator:
                async for fault in held_against(replayed, operator, at):
                    count += 1
                    if len(named) < NAMED_MAX:
                        named.append(fault)
            return replayed, named, count

    replayed, named, count = site.run(work)
    if as_json:
        boards = {
            kind.value: [
                {"rank": entry.rank, "player": f"players/{entry.account}", "points": entry.points}
                for entry in entries
            ]
            for kind, entries in replayed.boards.items()
        }
        day = None if replayed.day is None else replayed.day.isoformat()
        told = {"as_of": at.isoformat(), "sequence": replayed.sequence, "day": day, "boards": boards}
        print_json({**told, "differences": count, "rows": [asdict(fault) for fault in named]})
    else:
        show(replayed, rows)
        mark = "[bold red]✗[/]" if count else "[bold green]✓[/]"
        said = f"{count:,} rows differ" if count else "no row differs"
        console().print(f"{mark} {said} from what the service answers for that instant")
        print_faults(console(), named, count)
    sys.exit(1 if count else 0)


def show(replayed: Replayed, rows: int) -> None:
    """Print the top of every board that lists anybody."""
    out = console()
    out.print(f"{replayed.sequence:,} events; the boards show {replayed.day or 'no day'}")
    for kind, entries in replayed.boards.items():
        if not entries or not rows:
            continue
        table = Table("rank", "player", "points", title=f"{kind.value}: {len(entries):,}", box=None)
        for entry in entries[:rows]:
            table.add_row(str(entry.rank), f"players/{entry.account}", f"{entry.points:,}")
        out.print(table)
