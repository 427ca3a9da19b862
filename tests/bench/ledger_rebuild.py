"""How fast boards are built anew: `python -m tests.bench.ledger_rebuild [events]`.

A ledger of a million results over 100 days, of which 2,000 of 20,000 players have five a day, on a server
that flushes as in production. The live boards were built from the same log; a rebuild is timed from its first
statement until reads are switched: reading, folding, rows, entries, histories, indexes, the comparison of all
of them with the live ones, and the digest recomputed from the tables. Prints a line of JSON a figure.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from time import perf_counter

import uvloop

from libs.eventstore.migrations import upgrade
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild, Rebuilt
from tests.bench.figures import print_figure
from tests.support.ledger_history import History, write_history
from tests.support.servers import Databases, PostgresServer

EVENTS = 1_000_000
PLAYERS, DAYS = 20_000, 100


async def fill(url: str, events: int) -> int:
    """Write the log; return how many events it has."""
    history = History(events, PLAYERS, DAYS, datetime.now(UTC).date())
    return await write_history(url, history.facts())


async def rebuild(url: str) -> tuple[Rebuilt, Progress, float]:
    """Rebuild once; return what was done, its parts, and how long it took."""
    progress = Progress()
    begun = perf_counter()
    done = await Rebuild(url, progress).run()
    return done, progress, perf_counter() - begun


def run(events: int = EVENTS) -> None:
    """Measure on a server of its own."""
    server = PostgresServer(durable=True)
    server.start()
    try:
        url = Databases(server.url).create(upgrade)
        count = asyncio.run(fill(url, events))
        uvloop.run(rebuild(url))  # the live boards
        done, progress, took_s = uvloop.run(rebuild(url))
        assert done.switched and done.faults.count == 0, done
        print_figure("ledger.rebuild_events_per_s", count / took_s, "1/s")
        print_figure("ledger.rebuild_s", took_s, "s")
        for phase, part_s in progress.parts:
            print_figure(f"ledger.rebuild.{phase.replace(' ', '_')}_s", part_s, "s")
        print_figure("ledger.rebuild.rows", done.rows, "")
        print_figure("ledger.rebuild.entries", done.entries, "")
    finally:
        server.remove()


if __name__ == "__main__":
    run(*map(int, [argument for argument in sys.argv[1:] if argument.isdigit()]))
