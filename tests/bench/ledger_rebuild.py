"""How fast boards are built anew: `python -m tests.bench.ledger_rebuild [events]`.

A ledger of a million results over 100 days, of which 2,000 of 20,000 players have five a day, on a server
that flushes as in production. The live boards were built from the same log; a rebuild is timed from its first
statement until reads are switched: reading, folding, rows, entries, histories, indexes, the comparison of all
of them with the live ones, and the digest recomputed from the tables. Once more it is timed while a hundred
results a second are posted, sequenced and folded live and a reader reads on. Prints a line of JSON a figure.
"""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import UTC, datetime
from statistics import quantiles
from time import perf_counter
from typing import Any
from uuid import UUID

import asyncpg
import uvloop

from libs.bus.memory import MemoryBus
from libs.eventstore.migrations import upgrade
from services.ledger.domain.windows import Board
from services.ledger.loops import folding
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.verification import Verification
from tests.bench.figures import print_figure
from tests.support.ledger_bench import EPOCH, LedgerBench, ledger_bench, points_order
from tests.support.ledger_history import History, write_history
from tests.support.servers import Databases, PostgresServer

EVENTS = 1_000_000
PLAYERS, DAYS = 20_000, 100
A_SECOND = 100


async def fill(url: str, history: History) -> None:
    """Write a log, and have it vacuumed now, not while something is measured."""
    await write_history(url, history.facts())
    connection = await asyncpg.connect(url, server_settings={"search_path": "ledger"})
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def rebuild(url: str, patience_s: float = 5) -> dict[str, Any]:
    """Rebuild once, in a process of its own as the service does; return what it says of itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.rebuild_process", url, str(patience_s)),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    told: dict[str, Any] = json.loads(output)
    return told


async def under_load(url: str) -> tuple[dict[str, Any], int, list[float]]:
    """Rebuild while results come in and a page is read again and again.

    Returns what the rebuild says, how many results came, and how long each read took.
    """
    stop = asyncio.Event()
    took_s: list[float] = []
    async with ledger_bench(url, datetime.now(UTC)) as bench:
        works = [
            asyncio.create_task(_fold(bench, stop)),
            asyncio.create_task(_sequence(bench, stop)),
            asyncio.create_task(_post(bench, stop)),
            asyncio.create_task(_read(bench, stop, took_s)),
        ]
        await asyncio.sleep(1)
        told = await rebuild(url)
        stop.set()
        _, _, posted, _ = await asyncio.gather(*works)
    return told, int(posted or 0), took_s


async def _post(bench: LedgerBench, stop: asyncio.Event) -> int:
    begun, posted = perf_counter(), 0
    while not stop.is_set():
        await bench.post(points_order(UUID(int=1 + posted % 999), 5, bench.clock.now()))
        posted += 1
        await asyncio.sleep(max(0.0, begun + posted / A_SECOND - perf_counter()))
    return posted


async def _fold(bench: LedgerBench, stop: asyncio.Event) -> None:
    await folding(bench.database, MemoryBus(), "bench", bench.clock)(stop)


async def _sequence(bench: LedgerBench, stop: asyncio.Event) -> None:
    while await bench.sequencer.step(EPOCH) or not stop.is_set():  # noqa: ASYNC110 as the service polls
        await asyncio.sleep(0.02)


async def _read(bench: LedgerBench, stop: asyncio.Event, took_s: list[float]) -> None:
    while not stop.is_set():
        begun = perf_counter()
        await bench.reader.first_page(Board.AMR, 100)
        took_s.append(perf_counter() - begun)
        await asyncio.sleep(0.01)


def measure(events: int) -> None:
    """Measure on a server of its own."""
    server = PostgresServer(durable=True)
    server.start()
    try:
        url = Databases(server.url).create(upgrade)
        history = History(events, PLAYERS, DAYS, datetime.now(UTC).date())
        uvloop.run(fill(url, history))
        uvloop.run(rebuild(url, 0))  # the live boards
        told = uvloop.run(rebuild(url))
        assert told["faults"] == 0, told
        print_figure("ledger.rebuild_events_per_s", told["events"] / told["seconds"], "1/s")
        print_figure("ledger.rebuild_s", told["seconds"], "s")
        for phase, part_s in told["parts"]:
            print_figure(f"ledger.rebuild.{phase.replace(' ', '_')}_s", part_s, "s")
        print_figure("ledger.rebuild.rows", told["rows"], "")
        print_figure("ledger.rebuild.memory_mib", told["rss_mib"], "MiB")
        begun = perf_counter()
        found = uvloop.run(Verification(url, Progress()).run())
        assert found.faults.count == 0, found.faults.named
        print_figure("ledger.verify_events_per_s", found.events / (perf_counter() - begun), "1/s")
        loaded, posted, took_s = uvloop.run(under_load(url))
        assert loaded["faults"] == 0, loaded
        print_figure("ledger.rebuild_while_posting_events_per_s", loaded["events"] / loaded["seconds"], "1/s")
        print_figure("ledger.rebuild_while_posting.posted", posted, "")
        print_figure("ledger.rebuild_while_posting.read_p99_ms", quantiles(took_s, n=100)[98] * 1000, "ms")
    finally:
        server.remove()


def run(as_json: bool = True) -> None:
    """Measure with a million events; figures are lines of JSON either way."""
    del as_json
    measure(EVENTS)


if __name__ == "__main__":
    measure(*[int(argument) for argument in sys.argv[1:] if argument.isdigit()] or [EVENTS])
