"""Tickets entered by the thousand, and what must hold of the matches that came of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from os import environ
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1.match_event_pb2 import MatchCreated
from tests.support.queueing import CREATED

ENTER = """
INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), 'quick_match', 'waiting', $2, $3
FROM generate_series(1, $1)
"""


@contextmanager
def working_processes(
    module: str, database_url: str, faults: tuple[str, ...]
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run processes of a module of `tests.support`, each with its fault; they are gone afterwards.

    Each says "up" in its first line, before it begins to work.
    """
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"tests.support.{module}", database_url],
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


async def enter_tickets(database: Database, count: int) -> None:
    """Enter tickets of as many accounts, in one go."""
    at = datetime.now(UTC)
    await database.pool.execute(ENTER, count, at, at + timedelta(hours=1))


async def waiting_count(database: Database) -> int:
    """How many wait."""
    count: int = await database.pool.fetchval("SELECT count(*) FROM ticket WHERE state = 'waiting'")
    return count


async def assert_all_in_one_match_each(database: Database, tickets: int) -> None:
    """Each ticket led to one match, each match has two accounts and began once, seats and facts agree."""
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
    assert set(Counter(row["match_id"] for row in rows).values()) <= {2}
    assert {tuple(row) for row in seats} == {tuple(row) for row in rows}
    assert len(facts) == len(begun) == tickets // 2
    assert begun == by_match
    # First come, first served: nobody has met anybody yet, so neighbours in the order of arrival play.
    assert all(rows[n]["match_id"] == rows[n + 1]["match_id"] for n in range(0, tickets, 2))
