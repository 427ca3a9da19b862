"""Reading whole generations: where they stand, and all their rows as of one instant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from typing import Final

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.ledger.domain.windows import Board
from services.ledger.projections.effects import BOARD_OF_CODE
from services.ledger.projections.generations import Connection, Stands, generations, table_names

CHUNK: Final = 2_000

BoardRow = tuple[Board, date, str, int]


class NoGenerationError(Exception):
    """The generation that was asked for is not kept, or never was."""


class Generations:
    """Answers from the tables; each answer is one snapshot."""

    def __init__(self, database: Database) -> None:
        """Read over the hot pool."""
        self._pool = database.pool

    async def all(self) -> list[Stands]:
        """Return where every generation stands, the oldest first."""
        with unavailable_is_told():
            async with self._pool.acquire() as connection:
                return list((await generations(connection)).values())

    async def rows(self, generation: int) -> AsyncIterator[Stands | Sequence[BoardRow]]:
        """Yield where a generation stands (0: the active one), then its rows by board, day and account."""
        with unavailable_is_told():
            async with self._snapshot() as connection:
                stands = (await generations(connection)).values()
                wanted = [
                    each
                    for each in stands
                    if each.generation == generation or (not generation and each.active)
                ]
                if not wanted:
                    raise NoGenerationError(f"there is no generation {generation} of boards")
                yield wanted[0]
                table = table_names(wanted[0].generation)["row"]
                cursor = await connection.cursor(
                    f"SELECT board, day, account::text, points FROM {table} ORDER BY board, day, account"  # noqa: S608 ours
                )
                while rows := await cursor.fetch(CHUNK):
                    yield [
                        (BOARD_OF_CODE[board], day, account, points) for board, day, account, points in rows
                    ]

    @asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[Connection]:
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = '60s'")
            yield connection
