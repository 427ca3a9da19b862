"""What the tables of boards hold, read from nothing but the tables."""

from __future__ import annotations

from datetime import date
from typing import Final

from services.ledger.domain.boards import DIGEST_MODULUS, Cell, row_hash
from services.ledger.domain.windows import Sheet
from services.ledger.projections.effects import BOARD_OF_CODE
from services.ledger.projections.generations import Connection

FETCH: Final = 20_000


async def digest_of_table(connection: Connection, table: str) -> int:
    """Return the digest of all rows of a table: a sum, so in no order."""
    digest = 0
    sheets: dict[tuple[int, date], Sheet] = {}
    async with connection.transaction():
        query = f"SELECT board, day, account::text, points FROM {table}"  # noqa: S608 ours
        cursor = await connection.cursor(query)
        while rows := await cursor.fetch(FETCH):
            for board, day, account, points in rows:
                if (board, day) not in sheets:
                    sheets[board, day] = Sheet(BOARD_OF_CODE[board], day)
                digest += row_hash(Cell(sheets[board, day], account), points)
    return digest % DIGEST_MODULUS
