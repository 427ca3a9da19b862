"""Upkeep of the log's monthly partitions. The migration makes the first ones, a worker's loop the next."""

from __future__ import annotations

import asyncio
from datetime import datetime

from libs.eventstore.lease import wait_for
from libs.eventstore.migrations import MONTHS_AHEAD
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.store import Pool

UPKEEP_INTERVAL_MS = 3_600_000
# A new partition waits for everybody who uses the default one; others queue behind it, so not for long.
LOCK_TIMEOUT = "SET LOCAL lock_timeout = '1s'"
ENSURE = "SELECT ensure_partitions($1, $2)"
NOW = "SELECT clock_timestamp()"


async def ensure_partitions(pool: Pool, now: datetime, months_ahead: int = MONTHS_AHEAD) -> int:
    """Make the partitions of the month of `now` and of the months after it; return how many are new."""
    with unavailable_is_told():
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute(LOCK_TIMEOUT)
            made: int = await connection.fetchval(ENSURE, now, months_ahead)
    return made


async def keep_partitions(database: Database, stop: asyncio.Event) -> None:
    """Look ahead once an hour until `stop` is set. Several processes may do so: the first one makes them."""
    while not stop.is_set():
        now: datetime = await database.pool.fetchval(NOW)
        await ensure_partitions(database.pool, now)
        await wait_for(stop, UPKEEP_INTERVAL_MS)
