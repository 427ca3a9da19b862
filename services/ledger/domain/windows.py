"""Windows of the boards: which Romanian days a board counts on a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from services.ledger.domain.calendar import day_end, day_start

AMR_DAYS: Final = 365
AMR_SHEET_DAY: Final = date.min
"""AMR is one sheet that moves with the days, so its rows carry no day of their own."""


class Board(StrEnum):
    """A ranking by points."""

    AMR = "amr"
    WEEKLY = "weekly"
    DAILY = "daily"


class Sheet(NamedTuple):
    """What rows are kept under: the day for daily, its Monday for weekly, one constant for AMR."""

    board: Board
    day: date


@dataclass(frozen=True, slots=True)
class Window:
    """The days, both counted, that a board shows."""

    board: Board
    first_day: date
    last_day: date

    @property
    def start(self) -> datetime:
        """The first instant counted, UTC."""
        return day_start(self.first_day)

    @property
    def end(self) -> datetime:
        """The instant from which the board shows another window, UTC."""
        return day_end(self.last_day)


def window_on(board: Board, day: date) -> Window:
    """Return what a board shows on `day`: AMR ends with it, weekly is its week from Monday, daily the day."""
    match board:
        case Board.AMR:
            return Window(board, day - timedelta(days=AMR_DAYS - 1), day)
        case Board.WEEKLY:
            return Window(board, monday(day), monday(day) + timedelta(days=6))
        case Board.DAILY:
            return Window(board, day, day)


def sheet_on(board: Board, day: date) -> Sheet:
    """Return the sheet that a board shows on `day`."""
    match board:
        case Board.AMR:
            return Sheet(board, AMR_SHEET_DAY)
        case Board.WEEKLY:
            return Sheet(board, monday(day))
        case Board.DAILY:
            return Sheet(board, day)


def monday(day: date) -> date:
    """Return the Monday of a day's week: it names the week, over the turn of a 53-week year too."""
    return day - timedelta(days=day.weekday())
