"""Ranks: equal points share one (1, 2, 2, 4); rows stand by points falling, then account rising.

A two-level histogram answers a rank from a few hundred counters: coarse buckets of 256 points each, and one
fine bucket for each number of points. It counts players, not points, and is kept beside the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final, NamedTuple

from services.ledger.domain.boards import Cell
from services.ledger.domain.windows import Sheet

COARSE_SHIFT: Final = 8
"""A coarse bucket is the points shifted right by so many bits; negative points round down."""

COARSE_MASK: Final = (1 << COARSE_SHIFT) - 1
"""What the shift drops."""


class Entry(NamedTuple):
    """One listed row. Tuples, since boards are read row by row."""

    rank: int
    account: str
    points: int


class Place(NamedTuple):
    """A row in the order: the row, and the rank that the next row has if it has fewer points."""

    entry: Entry
    next_rank: int
    is_tie_counted: bool = False
    """Whether `next_rank` counts all who tie with this row, also those who come after it."""


class Count(NamedTuple):
    """One counter of the histogram: of `bucket` at the coarse or the fine level."""

    sheet: Sheet
    coarse: bool
    bucket: int


def order(row: tuple[str, int]) -> tuple[int, str]:
    """Sort key of (account, points) rows."""
    account, points = row
    return -points, account


class Run(NamedTuple):
    """Rows that stand one after the other, and the last of them as a place: None of no rows."""

    entries: list[Entry]
    last: Place | None


def number(rows: Iterable[tuple[str, int]], before: Place | None = None) -> Run:
    """Give sorted (account, points) rows their ranks, going on after `before`."""
    rank, points, next_rank, is_tie_counted = 0, None, 1, False
    if before is not None:
        (rank, _, points), next_rank, is_tie_counted = before
    entries: list[Entry] = []
    for account, held in rows:
        if held != points:
            rank, points, next_rank, is_tie_counted = next_rank, held, next_rank + 1, False
        elif not is_tie_counted:
            next_rank += 1
        entries.append(Entry(rank, account, held))
    return Run(entries, Place(entries[-1], next_rank, is_tie_counted) if entries else None)


def listed(rows: Mapping[str, int]) -> list[Entry]:
    """Return a whole sheet as it is listed."""
    return number(sorted(rows.items(), key=order)).entries


def coarse(points: int) -> int:
    """Return the coarse bucket of points."""
    return points >> COARSE_SHIFT


def coarse_end(points: int) -> int:
    """Return the most points in the coarse bucket of `points`."""
    return points | COARSE_MASK


def counts_moved(rows: Mapping[Cell, tuple[int, int]]) -> dict[Count, int]:
    """Return how the histogram's counters move when rows change from old to new points (0: no row)."""
    fine: dict[Sheet, Counter[int]] = {}
    for (sheet, _), (old, new) in rows.items():
        of_sheet = fine.setdefault(sheet, Counter())
        of_sheet[old] -= 1
        of_sheet[new] += 1
    moved: Counter[Count] = Counter()
    for sheet, of_sheet in fine.items():
        del of_sheet[0]  # no row
        for points, change in of_sheet.items():
            moved[Count(sheet, False, points)] = change
            moved[Count(sheet, True, coarse(points))] += change
    return {count: change for count, change in moved.items() if change}


def histogram(rows: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """Return the points that occur on a sheet, rising, and how many players have those or more."""
    players = Counter(rows.values())
    points = sorted(players, reverse=True)
    listed = list(accumulate(players[each] for each in points))
    return points[::-1], listed[::-1]
