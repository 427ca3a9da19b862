"""Many tickets, two matchmakers of tables in real processes; and such that die or sleep in their work."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.mcr.v1.table_event_pb2 import TableOpened
from tests.support.waiting import until
from tests.support.waiting_tickets import all_up, states, waiting_count, working_processes

TICKETS = int(os.environ.get("SPARROW_TEST_TICKETS", "400"))
"""10,000 in the long campaign."""
CHUNKS = 10
ENTER = """
INSERT INTO ticket (ticket_id, account_id, queue, ai_level, state, created_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), $4, 'easy', 'waiting', $2, $3
FROM generate_series(1, $1)
"""
ONE, FOUR = "deals_1", "deals_4"
TABLE_POINTS = ["queue.taken", "mcr.tables_begun", "queue.rows_in", "queue.committed"]
COMMITTED = TABLE_POINTS[-1]

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `mcr` schema of a fresh database."""
    opened = await Database.open(database_url, "mcr")
    yield opened
    await opened.close()


async def enter(database: Database, count: int, queue: str = ONE) -> None:
    """Tickets of as many accounts, in one go."""
    at = datetime.now(UTC)
    await database.pool.execute(ENTER, count, at, at + timedelta(hours=1), queue)


async def all_matched(database: Database, within_s: float = 30) -> None:
    """Wait until nobody waits."""
    async with asyncio.timeout(within_s):
        while await waiting_count(database):  # noqa: ASYNC110 another process's work
            await asyncio.sleep(0.05)


async def assert_all_at_one_table_each(database: Database, tickets: int) -> list[int]:
    """Each ticket led to one table, which began once with these persons; return how many sat at each."""
    rows = await database.pool.fetch("SELECT match_id, account_id FROM ticket WHERE state = 'matched'")
    seats = await database.pool.fetch("SELECT table_id, account_id FROM live_seat")
    facts = await database.pool.fetch(
        "SELECT stream_id, data FROM event WHERE type = 'sparrow.mcr.table_opened.v1'"
    )
    by_table: defaultdict[UUID, set[str]] = defaultdict(set)
    for table_id, account_id in rows:
        by_table[table_id].add(str(account_id))
    begun = {
        row["stream_id"]: {each.account_id for each in TableOpened.FromString(row["data"]).occupants} - {""}
        for row in facts
    }

    assert len(rows) == len({row["account_id"] for row in rows}) == tickets
    assert {tuple(row) for row in seats} == {tuple(row) for row in rows}
    assert len(facts) == len(begun)
    assert begun == by_table
    return sorted(len(persons) for persons in begun.values())


async def test_two_workers_put_no_ticket_at_two_tables(
    database: Database, database_url: str, record_property: Callable[[str, object], None]
) -> None:
    """Tickets that come to two queues while two processes work: one table each, nearly all of four."""
    with working_processes("lobby_process", database_url, ("", "")) as workers:
        await all_up(workers)
        began_s = time.monotonic()
        for chunk in range(CHUNKS):
            await enter(database, TICKETS // CHUNKS, (ONE, FOUR)[chunk % 2])
        await all_matched(database, within_s=150)
        took_s = time.monotonic() - began_s
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        made = [(await asyncio.to_thread(worker.communicate, None, 20))[0].decode() for worker in workers]

    persons = await assert_all_at_one_table_each(database, TICKETS)
    assert sum(int(text.rpartition("made ")[2]) for text in made) == len(persons)
    assert sum(count < 4 for count in persons) <= 2
    assert await states(database) == {"matched": TICKETS}
    record_property("tickets_per_s", round(TICKETS / took_s))


@pytest.mark.parametrize("point", TABLE_POINTS)
async def test_a_killed_matchmaker_loses_no_ticket_and_no_table(
    database: Database, database_url: str, point: str
) -> None:
    """Before the commit everybody waits on and nobody sits; after it everything stands, once."""
    await enter(database, 6)
    await asyncio.sleep(1)  # two of them sit down without others
    with working_processes("lobby_process", database_url, (f"{point}:kill",)) as (killed,):
        await until(lambda: killed.poll() is not None, within_s=30)
    assert killed.returncode == -signal.SIGKILL
    assert await waiting_count(database) == (0 if point == COMMITTED else 6)
    with working_processes("lobby_process", database_url, ("",)):
        await all_matched(database)

    assert await assert_all_at_one_table_each(database, 6) == [2, 4]


async def test_a_suspended_matchmaker_holds_up_nobody_for_long(database: Database, database_url: str) -> None:
    """Its transaction is ended by the database; woken, it finds that it lost, and goes on working."""
    await enter(database, 4)
    with working_processes("lobby_process", database_url, ("queue.rows_in:stop",)) as (sleeper,):
        stat = Path(f"/proc/{sleeper.pid}/stat")
        await until(lambda: stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T", 30)
        with working_processes("lobby_process", database_url, ("",)):
            await all_matched(database)
            sleeper.send_signal(signal.SIGCONT)
        await enter(database, 4)
        await all_matched(database)
        assert sleeper.poll() is None

    assert await assert_all_at_one_table_each(database, 8) == [4, 4]
