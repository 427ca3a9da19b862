"""What a board showed at an earlier place of the feed, out of the sheets as they are now.

Sheets of a day and a week only ever grow by entries, and the sheet of a year moves along by whole days. So a
board of the past is a sum of present sheets, some of them subtracted, less the entries that came since.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from services.ledger.domain.windows import (
    AMR_DAYS,
    FAMILY,
    WINDOWED,
    Board,
    Family,
    Sheet,
    sheet_on,
    window_on,
)


class SignedSheet(NamedTuple):
    """A sheet that is added, or subtracted."""

    sheet: Sheet
    sign: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A place in the ledger's feed, and the day that the boards showed there."""

    seq: int
    day: date


@dataclass(frozen=True, slots=True)
class BackThen:
    """How to find what `board` showed at a moment, on boards that show `shown_day` by now."""

    board: Board
    moment: Moment
    sheets: tuple[SignedSheet, ...]
    entry_days: tuple[date, date] | None
    """Of these days, both included, entries behind the moment are taken off; None: of all days."""

    @property
    def family(self) -> Family:
        """What the board adds up."""
        return FAMILY[self.board]


def back_then(board: Board, moment: Moment, shown_day: date) -> BackThen:
    """Return the sheets and days that make up a board at a moment; of a year, whichever are fewer."""
    if board is Board.RACE_RATING:
        return BackThen(board, moment, (SignedSheet(sheet_on(board, moment.day), 1),), None)
    window = window_on(board, moment.day)
    entry_days = window.first_day, window.last_day
    daily = WINDOWED[FAMILY[board]].daily
    if board is not WINDOWED[FAMILY[board]].year:
        return BackThen(board, moment, (SignedSheet(sheet_on(board, moment.day), 1),), entry_days)
    back = (shown_day - moment.day).days
    if 2 * back + 1 >= AMR_DAYS:
        return BackThen(board, moment, _days(daily, window.first_day, AMR_DAYS, 1), entry_days)
    left = _days(daily, window.first_day, back, 1)
    came = _days(daily, moment.day + timedelta(days=1), back, -1)
    year = SignedSheet(sheet_on(board, shown_day), 1)
    return BackThen(board, moment, (year, *left, *came), entry_days)


def _days(daily: Board, first: date, count: int, sign: int) -> tuple[SignedSheet, ...]:
    return tuple(SignedSheet(Sheet(daily, first + timedelta(days=days)), sign) for days in range(count))
