"""Do the tests bite? Folds that are broken on purpose, each by the name of its fault, break the property."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from services.ledger.domain import boards, calendar, families, ranks, windows
from services.ledger.domain.boards import Boards, Cell, Change
from services.ledger.domain.windows import Board, Sheet, Window
from services.ledger.events import LedgerDayClosed
from tests.support.naive_boards import around_midnights, compare

Patch = pytest.MonkeyPatch


def utc_days(patch: Patch) -> None:
    """Days begin at midnight of Greenwich."""
    first, last = calendar.FIRST_DAY.toordinal(), calendar.LAST_DAY.toordinal() + 2
    begins = tuple(
        datetime.combine(date.fromordinal(day), datetime.min.time(), UTC) for day in range(first, last)
    )
    patch.setattr(calendar, "_midnights", lambda: begins)


def same_date_a_year_ago(patch: Patch) -> None:
    """`replace(year - 1)` instead of 365 days."""

    def window_on(board: Board, day: date) -> Window:
        if board not in {Board.AMR, Board.MCR_YEAR, Board.MCR_AI_YEAR}:
            return windows.window_on(board, day)
        before = day - timedelta(days=1) if (day.month, day.day) == (2, 29) else day
        return Window(board, before.replace(year=day.year - 1) + timedelta(days=1), day)

    patch.setattr(boards, "window_on", window_on)
    patch.setattr(families, "window_on", window_on)


def closing_not_guarded(patch: Patch) -> None:
    """A day that is closed a second time rolls the boards once more."""
    fold = Boards.fold

    def unguarded(self: Boards, seq: int, fact: Any) -> None:
        if isinstance(fact, LedgerDayClosed) and self.as_of_day is not None:
            self._roll(seq, self.as_of_day)
        else:
            fold(self, seq, fact)

    patch.setattr(Boards, "fold", unguarded)


def closing_without_the_new_day(patch: Patch) -> None:
    """What came early for the next day never enters the year."""
    rolling = boards.rolling

    def without_entering(day: date) -> list[tuple[Sheet, Sheet]]:
        return [(leaving, entering._replace(day=date.max)) for leaving, entering in rolling(day)]

    patch.setattr(boards, "rolling", without_entering)


def order_without_account(patch: Patch) -> None:
    """Ties stand as they came."""
    patch.setattr(ranks, "order", lambda row: -row[1])


def sums_of_32_bits(patch: Patch) -> None:
    """Sums wrap."""

    def add(self: Boards, seq: int, sheet: Sheet, account: str, points: int) -> None:
        rows = self.sheets.setdefault(sheet, {})
        old = rows.pop(account, 0)
        if new := ctypes.c_int32(old + points).value:
            rows[account] = new
        self._changes.append(Change(seq, Cell(sheet, account), old, new))

    patch.setattr(Boards, "_add", add)


MUTANTS = (
    utc_days,
    same_date_a_year_ago,
    closing_not_guarded,
    closing_without_the_new_day,
    order_without_account,
    sums_of_32_bits,
)


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """No mutant leaves answers behind."""
    families.sheets_of.cache_clear()
    yield
    families.sheets_of.cache_clear()


def hold() -> None:
    """Hold the fold to the model over a leap year and its ends."""
    compare(around_midnights(date(2028, 2, 1), date(2029, 3, 2)))


def test_the_property_holds_without_a_mutant() -> None:
    """Else nothing below would say anything."""
    hold()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_fold_breaks_the_property(mutant: Callable[[Patch], None], monkeypatch: Patch) -> None:
    """Killed, by name."""
    mutant(monkeypatch)
    with pytest.raises(AssertionError, match="as of"):
        hold()
