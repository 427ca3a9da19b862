"""Figures of one player's play: how fast pairs follow each other, crucial choices, blocked touches."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final
from uuid import UUID

BOUNDS_MS: Final = (100, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000)
"""Where the bins of the pace part: a time is in the first bin whose bound it is under; the last has none."""
NO_PACE: Final = (0,) * (len(BOUNDS_MS) + 1)


class PlayMode(StrEnum):
    """What was played."""

    LEVEL = "level"
    QUICK_MATCH = "quick_match"
    ARENA = "arena"
    RACE = "race"
    POOL = "pool"
    TOURNAMENT = "tournament"


@dataclass(frozen=True, slots=True)
class Counts:
    """Figures that add up, whatever they are of."""

    games: int = 0
    """Attempts, or rounds, in which the seat removed a pair or touched a tile."""
    pairs: int = 0
    pace: tuple[int, ...] = NO_PACE
    """How many pairs came after so long since the pair before, or the beginning, by bin."""
    touches: int = 0
    """Accepted touches and put-backs, those that a pair took among them."""
    blocked: int = 0
    """Touches of blocked tiles."""
    found: int = 0
    """Crucial pairs that were taken, as the round's events judged them."""
    missed: int = 0
    """Times that a crucial pair may have been missed: see `SeatTally`."""

    def __add__(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(
            self.games + other.games,
            self.pairs + other.pairs,
            tuple(one + two for one, two in zip(self.pace, other.pace, strict=True)),
            self.touches + other.touches,
            self.blocked + other.blocked,
            self.found + other.found,
            self.missed + other.missed,
        )

    @property
    def choices(self) -> int:
        """How many crucial choices there were at most."""
        return self.found + self.missed

    def faster_than(self, ms: int) -> int:
        """How many pairs took less; a time between two bounds counts as the lower one."""
        return sum(self.pace[: bisect_right(BOUNDS_MS, ms)])


@dataclass(frozen=True, slots=True)
class Played:
    """What one player did in one attempt or round."""

    account_id: UUID
    mode: PlayMode
    hard: bool
    """The board was of a HARD level's difficulty."""
    day: date
    """UTC, on which it ended."""
    counts: Counts


def bin_of(ms: int) -> int:
    """The bin of a time."""
    return bisect_right(BOUNDS_MS, ms)
