"""What two runs of ordered rows differ in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import TypeVar

from libs.client.ledger_operations import LedgerFault, StoredRow

T = TypeVar("T")


async def differing(
    left: AsyncIterator[StoredRow], right: AsyncIterator[StoredRow]
) -> AsyncIterator[LedgerFault]:
    """Yield what the rows differ in, in their order: `stored` on the left, `expected` on the right."""
    one, other = await _next(left), await _next(right)
    while one is not None or other is not None:
        if other is None or (one is not None and _key(one) < _key(other)):
            assert one is not None
            yield _fault(one, str(one.points), "")
            one = await _next(left)
        elif one is None or _key(other) < _key(one):
            yield _fault(other, "", str(other.points))
            other = await _next(right)
        else:
            if one.points != other.points:
                yield _fault(one, str(one.points), str(other.points))
            one, other = await _next(left), await _next(right)


async def steadily(rows: Iterator[T]) -> AsyncIterator[T]:
    """Yield what an iterator has."""
    for row in rows:
        yield row


async def _next(rows: AsyncIterator[StoredRow]) -> StoredRow | None:
    return await anext(rows, None)


def _key(row: StoredRow) -> tuple[int, date, str]:
    return row.board_number, row.day, row.player


def _fault(row: StoredRow, stored: str, expected: str) -> LedgerFault:
    return LedgerFault("row", row.board, row.day.isoformat(), row.player, 0, "", stored, expected)
