"""What clearing a level brings: place and points of one finish (modes, single player)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_COMPLETION_POINTS: Final = 10
BEST_TIME_POINTS: Final = 10
TOP_TEN_POINTS: Final = 5
TOP_TEN: Final = 10


@dataclass(frozen=True, slots=True)
class Award:
    """What the account was paid on this level number before, under whichever catalogue version."""

    first_completion: bool = False
    best_time: bool = False
    top_ten: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What a level's table says at the moment of a finish, read under the level's lock."""

    better_accounts: int
    """How many other accounts have a strictly better best time."""
    award: Award

    @property
    def place(self) -> int:
        """The place that this finish takes; equal times share it."""
        return 1 + self.better_accounts


def first_completion_points(standing: Standing) -> int:
    """Points for the first completion: once per account and level number."""
    return 0 if standing.award.first_completion else FIRST_COMPLETION_POINTS


def time_bonus_points(standing: Standing) -> int:
    """Points for the time: 10 at place 1, 5 at places 2 to 10, each once; nothing after a 10."""
    if standing.award.best_time:
        return 0
    if standing.place == 1:
        return BEST_TIME_POINTS
    if standing.place <= TOP_TEN and not standing.award.top_ten:
        return TOP_TEN_POINTS
    return 0


def award_after(standing: Standing) -> Award:
    """What the account has been paid once this finish is."""
    bonus = time_bonus_points(standing)
    return Award(
        first_completion=True,
        best_time=standing.award.best_time or bonus == BEST_TIME_POINTS,
        top_ten=standing.award.top_ten or bonus == TOP_TEN_POINTS,
    )
