"""The fold of the boards: one function for live boards, rebuilds and tests.

State is points by sheet and account, and the day the boards show. A daily sheet is the bucket of its Romanian
day and the daily board of that day at once, kept for ever: what leaves the 365-day window is subtracted from
the year's sheet out of it. Rows of 0 points do not exist. `fold` reads at most the cells named by `reach`, so
the same function runs on all rows in memory or on the few rows that a batch needs, loaded from tables.

Account points and table points of MCR are folded alike, each family on sheets of its own. A race rating is
the sum of a player's rating transfers, on one sheet without windows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from services.ledger.domain.families import family_of, points_moved, sheets_of, year_of
from services.ledger.domain.windows import AMR_DAYS, WINDOWED, Family, Sheet, sheet_on, window_on
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferCancelled, TransferPosted

DAY_POINTS_MAX: Final = 1 << 53
"""Bounds a player's points of one day and rating, both ways: sums of weeks and years then fit 64 bits."""

DIGEST_MODULUS: Final = 1 << 256
ONE_DAY: Final = timedelta(days=1)


class Cell(NamedTuple):
    """One account's place on one sheet."""

    sheet: Sheet
    account: str


class Change(NamedTuple):
    """A row changed from `old` to `new` points by the fact at `seq`; 0 means that there is no row."""

    seq: int
    cell: Cell
    old: int
    new: int


class Posting(NamedTuple):
    """One player's side of a transfer that was counted: what rows are made of."""

    seq: int
    account: str
    family: Family
    day: date
    points: int
    occurred_at: datetime


class Closing(NamedTuple):
    """The closing at `seq` left a day that the boards had shown."""

    seq: int
    day: date


class Settled(NamedTuple):
    """All changes in order, and what they came to: the points of each row before and after (see `net`)."""

    changes: list[Change]
    rows: dict[Cell, tuple[int, int]]


@dataclass(slots=True)
class Boards:
    """Points by sheet and account; no day is shown before the first closing."""

    as_of_day: date | None = None
    sheets: dict[Sheet, dict[str, int]] = field(default_factory=dict)
    digest: int = 0
    """Sum of SHA-256 over all rows, modulo 2^256: the same whatever order they came in."""
    refused: list[int] = field(default_factory=list)
    """Facts that were left out as a whole: a day's points would have left DAY_POINTS_MAX."""
    postings: list[Posting] = field(default_factory=list)
    """What was counted, in order: those of a family, day and account sum to its row on the daily sheet."""
    closings: list[Closing] = field(default_factory=list)
    """Days that were left, in order. The opening is none: no board was shown on the day before it."""
    _changes: list[Change] = field(default_factory=list)

    def points(self, sheet: Sheet, account: str) -> int:
        """Return an account's points on a sheet."""
        return self.sheets.get(sheet, {}).get(account, 0)

    def fold(self, seq: int, fact: LedgerEvent) -> None:
        """Take in the next fact of the ledger's own feed."""
        match fact:
            case TransferPosted():
                self._take(seq, fact)
            case LedgerDayClosed(day) if self.as_of_day is None:
                self._open(seq, day + ONE_DAY)
            case LedgerDayClosed(day) if self.as_of_day == day:
                self._roll(seq, day)
            case LedgerDayClosed():
                pass  # closed before: a day is left once
            case TransferCancelled():
                pass  # nothing moved

    def settle(self) -> Settled:
        """Bring `digest` up to date; return what changed since the last call."""
        changes, self._changes = self._changes, []
        rows = net(changes)
        before: dict[Sheet, list[tuple[str, int]]] = {}
        after: dict[Sheet, list[tuple[str, int]]] = {}
        for (sheet, account), (old, new) in rows.items():
            before.setdefault(sheet, []).append((account, old))
            after.setdefault(sheet, []).append((account, new))
        gone = sum(sheet_digest(sheet, held) for sheet, held in before.items())
        come = sum(sheet_digest(sheet, held) for sheet, held in after.items())
        self.digest = (self.digest + come - gone) % DIGEST_MODULUS
        return Settled(changes, rows)

    def _take(self, seq: int, transfer: TransferPosted) -> None:
        """Count a transfer on all its sheets, or on none."""
        if (family := family_of(transfer)) is None:
            return
        moved = tuple(points_moved(transfer))
        sheets = sheets_of(family, transfer.day, self.as_of_day)
        if any(abs(self.points(sheets[0], account) + points) > DAY_POINTS_MAX for account, points in moved):
            self.refused.append(seq)
            return
        for account, points in moved:
            self.postings.append(Posting(seq, account, family, transfer.day, points, transfer.occurred_at))
            for sheet in sheets:
                self._add(seq, sheet, account, points)

    def _open(self, seq: int, today: date) -> None:
        """Show the first day: what was posted before any closing enters the year by its day."""
        self.as_of_day = today
        for sheet in open_sheets(today):
            self._add_sheet(seq, sheet, 1)

    def _roll(self, seq: int, day: date) -> None:
        """Leave `day`: a year loses its first day and gains what came early for the next one."""
        self.closings.append(Closing(seq, day))
        for leaving, entering in rolling(day):
            self._add_sheet(seq, leaving, -1)
            self._add_sheet(seq, entering, 1)
        self.as_of_day = day + ONE_DAY

    def _add_sheet(self, seq: int, daily: Sheet, times: int) -> None:
        """Add a daily sheet to its year, or subtract it."""
        year = year_of(daily)
        for account, points in self.sheets.get(daily, {}).items():
            self._add(seq, year, account, times * points)

    def _add(self, seq: int, sheet: Sheet, account: str, points: int) -> None:
        rows = self.sheets.setdefault(sheet, {})
        old = rows.get(account, 0)
        new = old + points
        if new:
            rows[account] = new
        else:
            rows.pop(account, None)
        self._changes.append(Change(seq, Cell(sheet, account), old, new))


@dataclass(frozen=True, slots=True)
class Reach:
    """What a fold of some facts can read: cells, and daily sheets with their accounts' rows of the year."""

    cells: frozenset[Cell]
    sheets: tuple[Sheet, ...]


def reach(facts: Sequence[LedgerEvent], as_of_day: date | None) -> Reach:
    """Return what a fold of `facts` can read. A closing must stand alone."""
    match facts:
        case [LedgerDayClosed()] if as_of_day is None:
            return Reach(frozenset(), open_sheets(facts[0].day + ONE_DAY))
        case [LedgerDayClosed(day)] if day == as_of_day:
            return Reach(frozenset(), roll_sheets(day))
        case [LedgerDayClosed()]:
            return Reach(frozenset(), ())
    cells: set[Cell] = set()
    for fact in facts:
        assert not isinstance(fact, LedgerDayClosed), "a closing is folded alone"
        if isinstance(fact, TransferCancelled) or (family := family_of(fact)) is None:
            continue
        for account, _ in points_moved(fact):
            cells.update(Cell(sheet, account) for sheet in sheets_of(family, fact.day, as_of_day))
    return Reach(frozenset(cells), ())


def open_sheets(today: date) -> tuple[Sheet, ...]:
    """Return the daily sheets that years count on the first day shown."""
    return tuple(
        sheet_on(boards.daily, window_on(boards.year, today).first_day + timedelta(days=days))
        for boards in WINDOWED.values()
        for days in range(AMR_DAYS)
    )


def roll_sheets(day: date) -> tuple[Sheet, ...]:
    """Return the daily sheets that leave or enter a year when `day` is over."""
    return tuple(sheet for pair in rolling(day) for sheet in pair)


def signed_sheets(day: date, as_of_day: date | None) -> tuple[tuple[Sheet, int], ...]:
    """Return the daily sheets that the closing of `day` adds to their years, or subtracts, and which."""
    if as_of_day is None:
        return tuple((sheet, 1) for sheet in open_sheets(day + ONE_DAY))
    if as_of_day != day:
        return ()
    return tuple((sheet, sign) for pair in rolling(day) for sheet, sign in zip(pair, (-1, 1), strict=True))


def rolling(day: date) -> list[tuple[Sheet, Sheet]]:
    """Return the daily sheets that leave and enter each family's year when `day` is over."""
    return [
        (
            sheet_on(boards.daily, window_on(boards.year, day).first_day),
            sheet_on(boards.daily, day + ONE_DAY),
        )
        for boards in WINDOWED.values()
    ]


def net(changes: Iterable[Change]) -> dict[Cell, tuple[int, int]]:
    """Return each changed row's points before the first and after the last change, where they differ."""
    first: dict[Cell, int] = {}
    last: dict[Cell, int] = {}
    for change in changes:
        first.setdefault(change.cell, change.old)
        last[change.cell] = change.new
    return {cell: (old, last[cell]) for cell, old in first.items() if old != last[cell]}


@lru_cache(maxsize=4096)
def _row_start(sheet: Sheet) -> str:
    return f"{sheet.board}|{sheet.day.isoformat()}|"


def digest_of(sheets: Mapping[Sheet, Mapping[str, int]]) -> int:
    """Return the digest of whole tables, computed from nothing but their rows."""
    return sum(sheet_digest(sheet, rows.items()) for sheet, rows in sheets.items()) % DIGEST_MODULUS


def sheet_digest(sheet: Sheet, rows: Iterable[tuple[str, int]]) -> int:
    """Return the sum of SHA-256 over a sheet's (account, points) rows; one of 0 points is none."""
    start, sha256, number = _row_start(sheet), hashlib.sha256, int.from_bytes
    return sum(
        number(sha256(f"{start}{account}|{points}".encode()).digest()) for account, points in rows if points
    )
