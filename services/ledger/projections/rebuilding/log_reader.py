"""Reads the facts of the ledger's feed as a bulk fold takes them, over a connection of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from operator import itemgetter
from typing import Any, Final

import asyncpg

from services.ledger.projections.generations import Connection

CHUNK: Final = 20_000
READ: Final = """
    SELECT f.seq, e.type, e.schema_version, e.occurred_at, e.data
    FROM (SELECT seq, stream_id, version FROM feed WHERE part = 1 AND seq BETWEEN $1 AND $2 ORDER BY seq) AS f
    CROSS JOIN LATERAL (
        SELECT type, schema_version, occurred_at, data FROM event_facts
        WHERE part = 1 AND stream_id = f.stream_id AND version = f.version OFFSET 0
    ) AS e
    ORDER BY f.seq
"""
SETTINGS: Final = {
    "search_path": "ledger",
    "timezone": "UTC",
    "application_name": "sparrow-ledger",
    "jit": "off",
    "maintenance_work_mem": "256MB",
    "work_mem": "64MB",
    "idle_in_transaction_session_timeout": "0",
}


async def connect_plain(url: str) -> Connection:
    """Return a connection for long work on the ledger's schema."""
    return await asyncpg.connect(url, server_settings=SETTINGS)


async def connect(url: str) -> Connection:
    """Return a connection for long work; instants are microseconds since 2000 UTC on it."""
    connection = await connect_plain(url)
    await connection.set_type_codec(
        "timestamptz",
        schema="pg_catalog",
        encoder=lambda instant: (instant,),
        decoder=itemgetter(0),
        format="tuple",
    )
    return connection


async def read_log(connection: Connection, first: int, last: int) -> AsyncIterator[list[Any]]:
    """Yield the facts from `first` to `last` in order, by the columns of a `Fact`.

    The next chunk comes while one is used, for as long as the user looks at the loop now and then.
    """
    statement = await connection.prepare(READ)

    def fetch(start: int) -> asyncio.Task[list[Any]]:
        return asyncio.create_task(statement.fetch(start, min(start + CHUNK - 1, last)))

    coming = fetch(first) if first <= last else None
    try:
        for start in range(first, last + 1, CHUNK):
            assert coming is not None
            facts = await coming
            following = start + CHUNK
            coming = fetch(following) if following <= last else None
            assert len(facts) == min(CHUNK, last - start + 1), f"the feed has a gap after {start}"
            yield facts
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
