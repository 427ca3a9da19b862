"""Rows of the board tables as PostgreSQL's binary COPY takes them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import date
from typing import Final

HEAD: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TAIL: Final = b"\xff\xff"
ROW_COLUMNS: Final = ("board", "day", "account", "points")
COUNT_COLUMNS: Final = ("board", "day", "coarse", "bucket", "players")
ENTRY_COLUMNS: Final = ("account", "family", "day", "seq", "points", "occurred_at")
HISTORY_COLUMNS: Final = ("closed_day", "board", "seq", "points", "players")

# Each value stands after its length in bytes; the first number is how many there are.
_ROW: Final = struct.Struct(">h ih ii i16s iq")
_COUNT: Final = struct.Struct(">h ih ii i? iq iq")
_ENTRY: Final = struct.Struct(">h i16s ih ii iq iq iq")
_HISTORY: Final = struct.Struct(">h ii ih iq")
_BIGINT: Final = 20  # the type's number
_MINUS_INFINITY: Final = -(1 << 31)
_FIRST_DAY: Final = date(2000, 1, 1).toordinal()

pack_entry: Final = _ENTRY.pack


def day_number(day: date) -> int:
    """Return a day as PostgreSQL counts them; the first of all is minus infinity, as with the driver."""
    if day == date.min:
        return _MINUS_INFINITY
    return day.toordinal() - _FIRST_DAY


def row_bytes(board: int, day: int, account: bytes, points: int) -> bytes:
    """Return a row of a board; `board` is its code, `day` a number."""
    return _ROW.pack(4, 2, board, 4, day, 16, account, 8, points)


def count_bytes(board: int, day: int, coarse: bool, bucket: int, players: int) -> bytes:
    """Return a counter of the histogram."""
    return _COUNT.pack(5, 2, board, 4, day, 1, coarse, 8, bucket, 8, players)


def history_bytes(
    closed_day: date, board: int, seq: int, points: Sequence[int], players: Sequence[int]
) -> bytes:
    """Return a board of an ended day."""
    fixed = _HISTORY.pack(5, 4, day_number(closed_day), 2, board, 8, seq)
    return fixed + _array(points) + _array(players)


def _array(values: Sequence[int]) -> bytes:
    if not values:
        return struct.pack(">iiii", 12, 0, 0, _BIGINT)
    body = struct.pack(">iiiii", 1, 0, _BIGINT, len(values), 1) + struct.pack(
        ">" + "iq" * len(values), *(each for value in values for each in (8, value))
    )
    return struct.pack(">i", len(body)) + body
