"""The fold of the boards: one function for live boards, rebuilds and tests.

State is points by sheet and account, and the day the boards show. A daily sheet is the bucket of its Romanian
day and the daily board of that day at once, kept for ever: what leaves the 365-day window is subtracted from
AMR out of it. Rows of 0 points do not exist. `fold` reads at most the cells named by `reach`, so the same
function runs on all rows in memory or on the few rows that a batch needs, loaded from tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from services.ledger.assets import Asset, player_of
from services.ledger.domain.windows import AMR_DAYS, Board, Sheet, sheet_on, window_on
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferCancelled, TransferPosted

COUNTED_REASONS: Final = frozenset(
    {
        "LEVEL_FIRST",
        "LEVEL_TIME",
        "QUICK_MATCH",
        "ARENA",
        "TOURNAMENT_PRIZE",
        "DAILY_BONUS",
        "DAILY_BONUS_DOUBLED",
    }
)
"""Points count on the boards for these reasons only."""

DAY_POINTS_MAX: Final = 1 << 53
"""Bounds a player's points of one day, both ways: sums of weeks and years then stay within 64 bits."""

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


@dataclass(slots=True)
class Boards:
    """Points by sheet and account; no day is shown before the first closing."""

    as_of_day: date | None = None
    sheets: dict[Sheet, dict[str, int]] = field(default_factory=dict)
    digest: int = 0
    """Sum of SHA-256 over all rows, modulo 2^256: the same whatever order they came in."""
    refused: list[int] = field(default_factory=list)
    """Facts that were left out as a whole: a day's points would have left DAY_POINTS_MAX."""
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

    def settle(self) -> list[Change]:
        """Bring `digest` up to date; return the changes since the last call, in order."""
        changes, self._changes = self._changes, []
        for cell, (old, new) in net(changes).items():
            self.digest += row_hash(cell, new) - row_hash(cell, old)
        self.digest %= DIGEST_MODULUS
        return changes

    def _take(self, seq: int, transfer: TransferPosted) -> None:
        """Count a transfer on all its sheets, or on none."""
        moved = tuple(points_moved(transfer))
        day = sheet_on(Board.DAILY, transfer.day)
        if any(abs(self.points(day, account) + points) > DAY_POINTS_MAX for account, points in moved):
            self.refused.append(seq)
            return
        for account, points in moved:
            for sheet in _sheets_of(transfer.day, self.as_of_day):
                self._add(seq, sheet, account, points)

    def _open(self, seq: int, today: date) -> None:
        """Show the first day: what was posted before any closing enters AMR by its day."""
        self.as_of_day = today
        for sheet in open_sheets(today):
            for account, points in self.sheets.get(sheet, {}).items():
                self._add(seq, sheet_on(Board.AMR, today), account, points)

    def _roll(self, seq: int, day: date) -> None:
        """Leave `day`: AMR loses its first day and gains what came early for the next one."""
        leaving, entering = roll_sheets(day)
        amr = sheet_on(Board.AMR, day)
        for account, points in self.sheets.get(leaving, {}).items():
            self._add(seq, amr, account, -points)
        for account, points in self.sheets.get(entering, {}).items():
            self._add(seq, amr, account, points)
        self.as_of_day = day + ONE_DAY

    def _add(self, seq: int, sheet: Sheet, account: str, points: int) -> None:
        rows = self.sheets.setdefault(sheet, {})
        old = rows.get(account, 0)
        new = old + points
        if new:
            rows[account] = new
        else:
            rows.pop(account, None)
        self._changes.append(Change(seq, Cell(sheet, account), old, new))


def points_moved(fact: TransferPosted) -> Iterator[tuple[str, int]]:
    """Yield the players whose board points a transfer changes, and by how much."""
    if fact.asset is not Asset.POINTS or fact.reason not in COUNTED_REASONS:
        return
    if (giver := player_of(fact.debit)) is not None:
        yield giver, -fact.amount
    if (taker := player_of(fact.credit)) is not None:
        yield taker, fact.amount


@dataclass(frozen=True, slots=True)
class Reach:
    """What folding some facts can read: single cells, and whole sheets with their accounts' AMR rows."""

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
        if isinstance(fact, TransferCancelled):
            continue
        for account, _ in points_moved(fact):
            cells.update(Cell(sheet, account) for sheet in _sheets_of(fact.day, as_of_day))
    return Reach(frozenset(cells), ())


def open_sheets(today: date) -> tuple[Sheet, ...]:
    """Return the daily sheets that AMR counts on the first day shown."""
    first = window_on(Board.AMR, today).first_day
    return tuple(Sheet(Board.DAILY, first + timedelta(days=days)) for days in range(AMR_DAYS))


def roll_sheets(day: date) -> tuple[Sheet, Sheet]:
    """Return the daily sheets that leave and enter AMR when `day` is over."""
    return (
        Sheet(Board.DAILY, window_on(Board.AMR, day).first_day),
        Sheet(Board.DAILY, day + ONE_DAY),
    )


def net(changes: Iterable[Change]) -> dict[Cell, tuple[int, int]]:
    """Return each changed row's points before the first and after the last change, where they differ."""
    first: dict[Cell, int] = {}
    last: dict[Cell, int] = {}
    for change in changes:
        first.setdefault(change.cell, change.old)
        last[change.cell] = change.new
    return {cell: (old, last[cell]) for cell, old in first.items() if old != last[cell]}


def row_hash(cell: Cell, points: int) -> int:
    """Return a row's share of the digest; an absent row has none."""
    if points == 0:
        return 0
    row = f"{_row_start(cell.sheet)}{cell.account}|{points}"
    return int.from_bytes(hashlib.sha256(row.encode()).digest())


@lru_cache(maxsize=4096)
def _row_start(sheet: Sheet) -> str:
    return f"{sheet.board}|{sheet.day.isoformat()}|"


def digest_of(sheets: Mapping[Sheet, Mapping[str, int]]) -> int:
    """Return the digest of whole tables, computed from nothing but their rows."""
    return (
        sum(
            row_hash(Cell(sheet, account), points)
            for sheet, rows in sheets.items()
            for account, points in rows.items()
        )
        % DIGEST_MODULUS
    )


@lru_cache(maxsize=4096)
def _sheets_of(day: date, as_of_day: date | None) -> tuple[Sheet, ...]:
    """Return the sheets a result of `day` stands on: its day, its week, and AMR where that counts the day."""
    sheets = (sheet_on(Board.DAILY, day), sheet_on(Board.WEEKLY, day))
    if as_of_day is None:
        return sheets
    shown = window_on(Board.AMR, as_of_day)
    if shown.first_day <= day <= shown.last_day:
        return (*sheets, sheet_on(Board.AMR, day))
    return sheets
