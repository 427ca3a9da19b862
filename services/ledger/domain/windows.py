"""Windows of the boards: which Romanian days a board counts on a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from services.ledger.domain.calendar import day_end, day_start

AMR_DAYS: Final = 365
STANDING_SHEET_DAY: Final = date.min
"""A board of a year, or without a window, is one sheet: its rows carry no day of their own."""


class Family(StrEnum):
    """What is added up on a board: account points, table points of MCR, ratings of races."""

    POINTS = "points"
    MCR = "mcr"
    """At tables of at least two persons."""
    MCR_AI = "mcr_ai"
    """Of one person against the AI."""
    RATING = "rating"


class Board(StrEnum):
    """A ranking."""

    AMR = "amr"
    WEEKLY = "weekly"
    DAILY = "daily"
    MCR_YEAR = "mcr_year"
    MCR_WEEKLY = "mcr_weekly"
    MCR_DAILY = "mcr_daily"
    RACE_RATING = "race_rating"
    MCR_AI_YEAR = "mcr_ai_year"
    MCR_AI_WEEKLY = "mcr_ai_weekly"
    MCR_AI_DAILY = "mcr_ai_daily"


class FamilyBoards(NamedTuple):
    """The three windows of one family."""

    year: Board
    weekly: Board
    daily: Board


WINDOWED: Final = MappingProxyType(
    {
        Family.POINTS: FamilyBoards(Board.AMR, Board.WEEKLY, Board.DAILY),
        Family.MCR: FamilyBoards(Board.MCR_YEAR, Board.MCR_WEEKLY, Board.MCR_DAILY),
        Family.MCR_AI: FamilyBoards(Board.MCR_AI_YEAR, Board.MCR_AI_WEEKLY, Board.MCR_AI_DAILY),
    }
)
"""The boards with windows; ratings have one board without."""

FAMILY: Final = MappingProxyType(
    {board: family for family, boards in WINDOWED.items() for board in boards}
    | {Board.RACE_RATING: Family.RATING}
)
"""What each board adds up."""


class Sheet(NamedTuple):
    """What rows are kept under: a board's day, the Monday of its week, or one constant."""

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
    """Return what a board shows on `day`: a year ends with it, a week from Monday holds it, or it alone."""
    match board:
        case Board.AMR | Board.MCR_YEAR | Board.MCR_AI_YEAR:
            return Window(board, day - timedelta(days=AMR_DAYS - 1), day)
        case Board.WEEKLY | Board.MCR_WEEKLY | Board.MCR_AI_WEEKLY:
            return Window(board, monday(day), monday(day) + timedelta(days=6))
        case Board.DAILY | Board.MCR_DAILY | Board.MCR_AI_DAILY:
            return Window(board, day, day)
        case Board.RACE_RATING:
            raise AssertionError("a rating has no window")


def sheet_on(board: Board, day: date) -> Sheet:
    """Return the sheet that a board shows on `day`."""
    match board:
        case Board.AMR | Board.MCR_YEAR | Board.MCR_AI_YEAR | Board.RACE_RATING:
            return Sheet(board, STANDING_SHEET_DAY)
        case Board.WEEKLY | Board.MCR_WEEKLY | Board.MCR_AI_WEEKLY:
            return Sheet(board, monday(day))
        case Board.DAILY | Board.MCR_DAILY | Board.MCR_AI_DAILY:
            return Sheet(board, day)


def monday(day: date) -> date:
    """Return the Monday of a day's week: it names the week, over the turn of a 53-week year too."""
    return day - timedelta(days=day.weekday())
