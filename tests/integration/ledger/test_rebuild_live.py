"""Scenario O27: many events are folded anew while results come in and boards are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from libs.bus.memory import MemoryBus
from services.ledger.domain.windows import Board
from services.ledger.loops import folding
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild
from services.ledger.projections.rebuilding.verification import Verification
from tests.support.ledger_bench import EPOCH, LedgerBench, ledger_bench, points_order
from tests.support.ledger_history import History, write_history

EVENTS = 100_000
A_SECOND = 100
LAST_DAY = date(2026, 3, 2)
PLAYER = UUID(int=7)
NOT_LISTED = f"SELECT 1 - count(*) FROM board_row_g3 WHERE board = 1 AND account = '{PLAYER}'"
WAITING = """
    SELECT (SELECT count(*) FROM event) - seq FROM checkpoint
    WHERE name = (SELECT 'boards_g' || generation FROM active_generation)
"""


@asynccontextmanager
async def running(*works: Callable[[asyncio.Event], Awaitable[None]]) -> AsyncIterator[None]:
    """Run loops until the block ends; what one raises ends the block and is raised."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for work in works:
            group.create_task(_run(work, stop))
        try:
            yield
        finally:
            stop.set()


async def _run(work: Callable[[asyncio.Event], Awaitable[None]], stop: asyncio.Event) -> None:
    await work(stop)


def posting(bench: LedgerBench, posted: list[int]) -> Callable[[asyncio.Event], Awaitable[None]]:
    """Return a loop that posts so many results a second, for one player among others."""

    async def run(stop: asyncio.Event) -> None:
        while not stop.is_set():
            account = PLAYER if len(posted) % 5 == 0 else UUID(int=1_000 + len(posted))
            await bench.post(points_order(account, 5, bench.clock.now()))
            posted.append(account.int)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 1 / A_SECOND)

    return run


def sequencing(bench: LedgerBench) -> Callable[[asyncio.Event], Awaitable[None]]:
    """Return a loop that sequences what was posted, to the end."""

    async def run(stop: asyncio.Event) -> None:
        while await bench.sequencer.step(EPOCH) or not stop.is_set():  # noqa: ASYNC110 as the service polls
            await asyncio.sleep(0.005)

    return run


def reading(
    bench: LedgerBench, seen: list[tuple[int, int, int]]
) -> Callable[[asyncio.Event], Awaitable[None]]:
    """Return a loop that reads one player's standing and keeps (generation, seq, points)."""

    async def run(stop: asyncio.Event) -> None:
        while not stop.is_set():
            page = await bench.reader.first_page(Board.AMR, 3, str(PLAYER))
            (own,) = (entry for entry in page.entries if entry.account == str(PLAYER))
            seen.append((page.listing.generation, page.listing.seq, own.points))
            await asyncio.sleep(0.005)

    return run


async def until_none(bench: LedgerBench, query: str) -> None:
    """Wait until what a query counts is gone."""
    while await bench.count(query):  # noqa: ASYNC110 rows set no event
        await asyncio.sleep(0.02)


@pytest.mark.timeout(240)
async def test_boards_are_built_anew_while_results_come_in_and_reads_go_on(database_url: str) -> None:
    """Every read is answered, none goes back in time; there is one switch; the hash is the live one's."""
    now = datetime.combine(LAST_DAY, datetime.min.time(), UTC) + timedelta(hours=20)
    await write_history(database_url, History(EVENTS, 2_000, 100, LAST_DAY).facts())
    posted: list[int] = []
    seen: list[tuple[int, int, int]] = []
    async with ledger_bench(database_url, now) as bench:
        await Rebuild(database_url, Progress(), patience_s=0).run()  # the live boards
        await bench.post(points_order(PLAYER, 5, now))
        fold = folding(bench.database, MemoryBus(), "test", bench.clock)
        async with running(sequencing(bench), fold):
            await until_none(bench, NOT_LISTED)
            async with running(posting(bench, posted), reading(bench, seen)):
                await asyncio.sleep(0.3)
                rebuild = Rebuild(database_url, Progress())
                done = await asyncio.to_thread(lambda: asyncio.run(rebuild.run()))
                await asyncio.sleep(0.3)
            await until_none(bench, WAITING)

        assert (done.switched, done.faults.named, done.generation) == (True, [], 4)
        assert done.digest == done.stored_digest
        assert done.events >= EVENTS
        assert len(posted) > 20 and {generation for generation, _, _ in seen} == {3, 4}
        assert seen == sorted(seen)
        assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
        found = await Verification(database_url, Progress()).run()
        assert (found.faults.named, found.generation, found.events) == ([], 4, EVENTS + 101 + len(posted))
