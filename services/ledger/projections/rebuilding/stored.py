"""What the tables of boards hold, read from nothing but the tables."""

from __future__ import annotations

import asyncio
from itertools import groupby
from operator import itemgetter
from typing import Final

from services.ledger.domain.boards import DIGEST_MODULUS, sheet_digest
from services.ledger.domain.windows import Sheet
from services.ledger.projections.effects import BOARD_OF_CODE
from services.ledger.projections.generations import Connection

FETCH: Final = 20_000


async def digest_of_table(connection: Connection, table: str) -> int:
    """Return the digest of all rows of a table: a sum, so in no order."""
    digest = 0
    async with connection.transaction():
        query = f"SELECT board, day, account::text, points FROM {table}"  # noqa: S608 ours
        cursor = await connection.cursor(query)
        while rows := await cursor.fetch(FETCH):
            for (board, day), of_sheet in groupby(rows, key=itemgetter(0, 1)):
                sheet = Sheet(BOARD_OF_CODE[board], day)
                digest += sheet_digest(sheet, map(itemgetter(2, 3), of_sheet))
            await asyncio.sleep(0)  # others want the loop, too
    return digest % DIGEST_MODULUS
