"""Many tickets, two matchmakers in real processes; and matchmakers that die or sleep at every named point."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from libs.eventstore.faults import POINTS
from libs.eventstore.postgres.database import Database
from services.match.domain.queueing import Queue
from tests.support.waiting import until
from tests.support.waiting_tickets import (
    all_up,
    assert_all_in_one_match_each,
    enter_idle_tickets,
    enter_tickets,
    states,
    waiting_count,
    working_processes,
)

TICKETS = int(os.environ.get("SPARROW_TEST_TICKETS", "1600"))
"""10,000 in the long campaign."""
CHUNKS = 20
IDLE = 3
QUEUE_POINTS = [point for point in POINTS if point.startswith("queue.")]
COMMITTED = "queue.committed"

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `match` schema of a fresh database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


async def _all_matched(database: Database, within_s: float = 30) -> None:
    async with asyncio.timeout(within_s):
        while await waiting_count(database):  # noqa: ASYNC110 another process's work
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("queue", list(Queue))
async def test_two_workers_put_no_ticket_into_two_matches(
    database: Database, database_url: str, queue: Queue, record_property: Callable[[str, object], None]
) -> None:
    """Many tickets that come while two processes work: each in one match, in the order of arrival.

    Those that were cancelled and those whose time is over lead to none.
    """
    with working_processes("matchmaking_process", database_url, ("", ""), queue.value) as workers:
        await all_up(workers)
        began_s = time.monotonic()
        for _ in range(CHUNKS):
            await enter_tickets(database, TICKETS // CHUNKS, queue)
            await enter_idle_tickets(database, IDLE, queue)
        await _all_matched(database, within_s=150)
        took_s = time.monotonic() - began_s
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        made = [(await asyncio.to_thread(worker.communicate, None, 20))[0].decode() for worker in workers]

    await assert_all_in_one_match_each(database, TICKETS, queue)
    counts = [int(text.rpartition("made ")[2]) for text in made]
    matches = await database.pool.fetchval("SELECT count(DISTINCT match_id) FROM live_seat")
    assert sum(counts) == matches
    assert await states(database) == {
        "matched": TICKETS,
        "cancelled": CHUNKS * IDLE,
        "expired": CHUNKS * IDLE,
    }
    record_property("tickets_per_s", round(TICKETS / took_s))
    record_property("made", str(counts))


@pytest.mark.parametrize("point", QUEUE_POINTS)
async def test_a_killed_matchmaker_loses_nothing(database: Database, database_url: str, point: str) -> None:
    """Before the commit everybody waits on and nobody sits; after it everything stands, once."""
    await enter_tickets(database, 6)
    with working_processes("matchmaking_process", database_url, (f"{point}:kill",)) as (killed,):
        await until(lambda: killed.poll() is not None, within_s=30)
    assert killed.returncode == -signal.SIGKILL
    assert await waiting_count(database) == (0 if point == COMMITTED else 6)
    with working_processes("matchmaking_process", database_url, ("",)):
        await _all_matched(database)

    await assert_all_in_one_match_each(database, 6)


@pytest.mark.parametrize("point", QUEUE_POINTS[:-1])
async def test_a_suspended_matchmaker_holds_up_nobody_for_long(
    database: Database, database_url: str, point: str
) -> None:
    """Its transaction is ended by the database; woken, it finds that it lost, and goes on working."""
    await enter_tickets(database, 6)
    with working_processes("matchmaking_process", database_url, (f"{point}:stop",)) as (sleeper,):
        stat = Path(f"/proc/{sleeper.pid}/stat")
        await until(lambda: stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T", 30)
        with working_processes("matchmaking_process", database_url, ("",)):
            await _all_matched(database)
            sleeper.send_signal(signal.SIGCONT)
        await enter_tickets(database, 4)
        await _all_matched(database)
        assert sleeper.poll() is None

    await assert_all_in_one_match_each(database, 10)
