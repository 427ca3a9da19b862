"""Generations of boards: which one answers, how one is made beside it, and how reads pass to it.

A generation is the tables, the state and the checkpoint of one set of boards. The one that was left last is
kept until the next is built: listings that began on it go on, and an operator may look at what differed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Final, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"

TABLES: Final = ("row", "count", "change", "entry", "history")
RETIRED_EPOCH: Final = 2**62
"""The epoch of a generation that was left: no projector's is as high, so its folds in flight fail."""

ACTIVE: Final = "SELECT generation FROM active_generation"
STANDS: Final = """
    SELECT s.generation, s.generation = a.generation AS active, coalesce(c.seq, 0) AS seq, s.as_of_day,
           s.digest, f.at
    FROM board_state s CROSS JOIN active_generation a
    LEFT JOIN checkpoint c ON c.name = 'boards_g' || s.generation
    LEFT JOIN feed f ON f.part = 1 AND f.seq = c.seq
    ORDER BY s.generation
"""
CLEAR: Final = """
    SELECT drop_board_generation(generation) FROM board_state
    WHERE generation <> (SELECT generation FROM active_generation)
"""
CREATE: Final = """
    SELECT g.generation, create_board_generation(g.generation)
    FROM (SELECT 1 + max(generation) AS generation FROM board_state) AS g
"""
BARE: Final = "SELECT of_table, statement FROM bare_board_generation($1)"
SET_STATE: Final = "UPDATE board_state SET as_of_day = $2, digest = $3 WHERE generation = $1"
SET_PLACE: Final = "INSERT INTO checkpoint (name, seq, epoch) VALUES ('boards_g' || $1::integer, $2, 0)"
PLACE: Final = "SELECT seq FROM checkpoint WHERE name = 'boards_g' || $1::integer"
HOLD: Final = "SELECT seq FROM checkpoint WHERE name = 'boards_g' || $1::integer FOR UPDATE"
RETIRE: Final = "UPDATE checkpoint SET epoch = $2 WHERE name = 'boards_g' || $1::integer"
SWITCH: Final = "UPDATE active_generation SET generation = $2 WHERE generation = $1"


def table_names(generation: int) -> Mapping[str, str]:
    """Return the tables of a generation, by what they hold."""
    return MappingProxyType({table: f"board_{table}_g{generation}" for table in TABLES})


@dataclass(frozen=True, slots=True)
class Stands:
    """Where a generation stands."""

    generation: int
    active: bool
    seq: int
    as_of_day: date | None
    digest: bytes
    at: datetime | None = None  # when that fact was placed in the feed


async def active_generation(database: Database) -> int:
    """Return the generation that reads are answered from."""
    with unavailable_is_told():
        generation: int = await database.pool.fetchval(ACTIVE)
    return generation


async def generations(connection: Connection) -> dict[int, Stands]:
    """Return where every generation stands."""
    return {row[0]: Stands(*row) for row in await connection.fetch(STANDS)}


async def place(connection: Connection, generation: int) -> int:
    """Return the last fact that is in a generation."""
    return await connection.fetchval(PLACE, generation) or 0


async def create(connection: Connection) -> tuple[int, dict[str, list[str]]]:
    """Make the next generation without keys and indexes; drop all but the active one before.

    Returns its number, and by table the statements that make its indexes. Raises
    asyncpg.LockNotAvailableError where somebody reads what is to be dropped.
    """
    async with connection.transaction():
        await connection.execute("SET LOCAL lock_timeout = '5s'")
        await connection.fetch(CLEAR)
        generation: int = await connection.fetchval(CREATE)
        indexes: dict[str, list[str]] = {}
        for table, statement in await connection.fetch(BARE, generation):
            indexes.setdefault(table, []).append(statement)
    return generation, indexes


async def open_generation(
    connection: Connection, generation: int, *, seq: int, as_of_day: date | None, digest: int
) -> None:
    """Say where filled tables stand: from now on a projector may go on with them."""
    async with connection.transaction():
        await connection.execute(SET_STATE, generation, as_of_day, digest.to_bytes(32))
        await connection.execute(SET_PLACE, generation, seq)


@asynccontextmanager
async def held(connection: Connection, generation: int) -> AsyncIterator[int]:
    """Keep a generation at the place it has, which is yielded, until the block ends: its projector waits.

    The block is one transaction. Raises asyncpg.LockNotAvailableError when the projector does not let go.
    """
    async with connection.transaction():
        await connection.execute("SET LOCAL lock_timeout = '2s'")
        # Whoever is suspended in here lets go by then.
        await connection.execute("SET LOCAL idle_in_transaction_session_timeout = '5s'")
        yield await connection.fetchval(HOLD, generation) or 0


async def switch(connection: Connection, old: int, new: int) -> None:
    """Answer reads from another generation, and fence the old one's projector. Inside `held`."""
    moved = await connection.execute(SWITCH, old, new)
    assert moved == "UPDATE 1", "another generation became active meanwhile"
    await connection.execute(RETIRE, old, RETIRED_EPOCH)
