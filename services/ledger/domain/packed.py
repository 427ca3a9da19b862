"""A whole board that no longer changes, packed: 24 bytes a row, in order; a million players are 24 MB."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from services.ledger.domain.ranks import Entry, order

ROW: Final = 24
"""Bytes of a row: the account, then its points, signed, the highest byte first."""
ACCOUNT: Final = 16


@dataclass(frozen=True, slots=True)
class PackedBoard:
    """Rows by points falling, then account rising."""

    rows: bytes

    @classmethod
    def of(cls, points: Mapping[str, int]) -> PackedBoard:
        """Pack the accounts that have points."""
        rows = sorted(((account, held) for account, held in points.items() if held), key=order)
        return cls(b"".join(UUID(account).bytes + held.to_bytes(8, signed=True) for account, held in rows))

    def __len__(self) -> int:
        """How many are listed."""
        return len(self.rows) // ROW

    def slice(self, start: int, size: int) -> tuple[Entry, ...]:
        """Return at most so many rows from an index on."""
        entries: list[Entry] = []
        for index in range(start, min(start + size, len(self))):
            points = self._points(index)
            if entries and entries[-1].points == points:
                rank = entries[-1].rank
            else:
                rank = index + 1 if entries else self._rank(points)
            entries.append(Entry(rank, self._account(index), points))
        return tuple(entries)

    def find(self, account: str) -> int | None:
        """Return the index of an account; None when it is not listed. Looks through all rows."""
        wanted, place = UUID(account).bytes, -1
        while (place := self.rows.find(wanted, place + 1)) >= 0:
            if place % ROW == 0:
                return place // ROW
        return None

    def behind(self, account: str, points: int) -> int:
        """Return the index of the first row after where such a row stands, whether it is listed or not."""
        last = -points, UUID(account).bytes
        return bisect_right(
            range(len(self)), last, key=lambda index: (-self._points(index), self._key(index))
        )

    def around(self, index: int, size: int) -> int:
        """Return the index at which the page around a row begins."""
        return min(max(0, index - size // 2), max(0, len(self) - size))

    def _rank(self, points: int) -> int:
        return bisect_left(range(len(self)), -points, key=lambda index: -self._points(index)) + 1

    def _account(self, index: int) -> str:
        return str(UUID(bytes=self._key(index)))

    def _key(self, index: int) -> bytes:
        return self.rows[index * ROW : index * ROW + ACCOUNT]

    def _points(self, index: int) -> int:
        return int.from_bytes(self.rows[index * ROW + ACCOUNT : (index + 1) * ROW], signed=True)
