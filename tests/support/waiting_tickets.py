"""Tickets entered by the thousand, and what must hold of the matches that came of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import groupby
from os import environ
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1.match_event_pb2 import MatchCreated
from services.match.domain.queueing import Queue
from tests.support.queueing import CREATED

ENTER = """
INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), $4, 'waiting', $2, $3
FROM generate_series(1, $1)
"""
ENTER_ENDED = """
INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at, ended_at)
SELECT gen_random_uuid(), gen_random_uuid(), $4, 'cancelled', $2, $3, $2
FROM generate_series(1, $1)
"""


@contextmanager
def working_processes(
    module: str, database_url: str, faults: tuple[str, ...], *arguments: str
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run processes of a module of `tests.support`, each with its fault; they are gone afterwards.

    Each says "up" in its first line, before it begins to work.
    """
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"tests.support.{module}", database_url, *arguments],
            env={**environ, "SPARROW_FAULT": fault},
            stdout=subprocess.PIPE,
        )
        for fault in faults
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            with process:
                process.wait()


async def all_up(processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait until the processes are about to work."""
    for process in processes:
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == b"up\n"


async def enter_tickets(database: Database, count: int, queue: Queue = Queue.QUICK_MATCH) -> None:
    """Enter tickets of as many accounts, in one go."""
    at = datetime.now(UTC)
    await database.pool.execute(ENTER, count, at, at + timedelta(hours=1), queue.value)


async def enter_idle_tickets(database: Database, count: int, queue: Queue) -> None:
    """Enter tickets that nobody may match: cancelled ones, and as many whose time is over."""
    at = datetime.now(UTC)
    await database.pool.execute(ENTER_ENDED, count, at, at + timedelta(hours=1), queue.value)
    await database.pool.execute(ENTER, count, at - timedelta(hours=1), at, queue.value)


async def states(database: Database) -> Counter[str]:
    """How many tickets stand how."""
    rows = await database.pool.fetch("SELECT state, count(*) FROM ticket GROUP BY state")
    return Counter({str(row["state"]): int(row["count"]) for row in rows})


async def waiting_count(database: Database) -> int:
    """How many wait."""
    count: int = await database.pool.fetchval("SELECT count(*) FROM ticket WHERE state = 'waiting'")
    return count


async def assert_all_in_one_match_each(
    database: Database, tickets: int, queue: Queue = Queue.QUICK_MATCH
) -> None:
    """Each ticket led to one match, each match is a table that began once, seats and facts agree."""
    rows = await database.pool.fetch(
        "SELECT match_id, account_id FROM ticket WHERE state = 'matched' ORDER BY place"
    )
    seats = await database.pool.fetch("SELECT match_id, account_id FROM live_seat")
    facts = await database.pool.fetch("SELECT stream_id, data FROM event WHERE type = $1", CREATED)
    begun: dict[UUID, set[str]] = {
        row["stream_id"]: set(MatchCreated.FromString(row["data"]).account_ids) for row in facts
    }
    by_match: dict[UUID, set[str]] = {}
    for match_id, account_id in rows:
        by_match.setdefault(match_id, set()).add(str(account_id))

    assert len(rows) == tickets
    assert len({row["account_id"] for row in rows}) == tickets
    assert {tuple(row) for row in seats} == {tuple(row) for row in rows}
    assert len(facts) == len(begun)
    assert begun == by_match
    assert all(queue.seats_min <= len(table) <= queue.seats for table in by_match.values())
    # First come, first served: nobody has met anybody yet, so neighbours in the order of arrival play.
    assert len(list(groupby(row["match_id"] for row in rows))) == len(begun)
