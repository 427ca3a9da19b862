"""What a transfer counts for: which family of boards, which players, which sheets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from services.ledger.assets import Asset, player_of
from services.ledger.domain.windows import FAMILY, WINDOWED, Board, Family, Sheet, sheet_on, window_on
from services.ledger.events import TransferPosted

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
"""Points count on the account boards for these reasons only."""

TABLE_REASONS: Final = MappingProxyType({"MCR": Family.MCR, "MCR_AI": Family.MCR_AI})
"""Points of these reasons are table points: they have boards of their own, with negative sums."""


def family_of(fact: TransferPosted) -> Family | None:
    """Return the boards that a transfer counts on; None where it counts on none."""
    match fact.asset:
        case Asset.POINTS if fact.reason in COUNTED_REASONS:
            return Family.POINTS
        case Asset.POINTS:
            return TABLE_REASONS.get(fact.reason)
        case Asset.RATING:
            return Family.RATING
    return None


def points_moved(fact: TransferPosted) -> Iterator[tuple[str, int]]:
    """Yield the players of a transfer, and by how much it changes what they have."""
    if (giver := player_of(fact.debit)) is not None:
        yield giver, -fact.amount
    if (taker := player_of(fact.credit)) is not None:
        yield taker, fact.amount


@lru_cache(maxsize=4096)
def sheets_of(family: Family, day: date, as_of_day: date | None) -> tuple[Sheet, ...]:
    """Return the sheets a result of `day` stands on: its day, its week, and the year if that counts the day.

    The first is the one whose rows are bounded. A rating has one sheet, whatever the day.
    """
    if family is Family.RATING:
        return (sheet_on(Board.RACE_RATING, day),)
    boards = WINDOWED[family]
    sheets = (sheet_on(boards.daily, day), sheet_on(boards.weekly, day))
    if as_of_day is None:
        return sheets
    shown = window_on(boards.year, as_of_day)
    if shown.first_day <= day <= shown.last_day:
        return (*sheets, sheet_on(boards.year, day))
    return sheets


def year_of(daily: Sheet) -> Sheet:
    """Return the sheet of the year that counts a daily sheet while its day is in the window."""
    return sheet_on(WINDOWED[FAMILY[daily.board]].year, daily.day)
