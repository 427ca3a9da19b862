"""Timers in real processes: killed at every named point, or two at once, each fires exactly once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from libs.eventstore.postgres.database import Database
from libs.eventstore.timers import set_timer
from tests.support.store_contract import stream
from tests.support.waiting import until
from tests.support.waiting_tickets import all_up, working_processes

SECOND = timedelta(seconds=1)
OWN_POINTS = ("timer.claimed", "timer.committed")

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `match` schema of a fresh database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


async def _set(database: Database, count: int, due: datetime) -> None:
    async with database.engine.begin() as connection:
        for number in range(count):
            await set_timer(connection, stream(number), "end", due)


async def _nothing_is_set(database: Database, within_s: float = 30) -> None:
    async with asyncio.timeout(within_s):
        while await database.pool.fetchval("SELECT count(*) FROM timer"):  # noqa: ASYNC110 another process's work
            await asyncio.sleep(0.05)


async def _fired(database: Database) -> list[int]:
    """How many events each stream has."""
    return [row[0] for row in await database.pool.fetch("SELECT version FROM stream")]


@pytest.mark.parametrize("point", OWN_POINTS)
async def test_a_killed_worker_leaves_no_timer_behind(
    database: Database, database_url: str, point: str
) -> None:
    """Whether it died before or after the stream decided: the next one fires it, and it happened once."""
    await _set(database, 3, datetime.now(UTC))
    with working_processes("timer_process", database_url, (f"{point}:kill",)) as (killed,):
        await until(lambda: killed.poll() is not None, within_s=30)
    assert killed.returncode == -signal.SIGKILL
    with working_processes("timer_process", database_url, ("",)):
        await _nothing_is_set(database)

    assert await _fired(database) == [1, 1, 1]


async def test_two_processes_fire_each_timer_once_and_none_early(
    database: Database, database_url: str
) -> None:
    """A hundred timers over two seconds: whichever process fires it, each is one event, after its time."""
    with working_processes("timer_process", database_url, ("", "")) as workers:
        await all_up(workers)
        begin = datetime.now(UTC) + SECOND / 2
        async with database.engine.begin() as connection:
            for number in range(100):
                await set_timer(connection, stream(number), "end", begin + number * SECOND / 50)
        await _nothing_is_set(database)
    rows = await database.pool.fetch("SELECT occurred_at, recorded_at FROM event ORDER BY 1")

    assert await _fired(database) == [1] * 100
    assert all(row["recorded_at"] >= row["occurred_at"] for row in rows)
