"""What the host of a race chooses: every setting with its range and default (source 002)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from libs.rules.solitaire.board import Matching

BONUS_TILES: Final = 8
CPU_PLAYERS_MAX: Final = 3
SEATS_MAX: Final = 20
"""Persons and CPU players together."""


class Difficulty(StrEnum):
    """How large the board is."""

    START = "start"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @property
    def tiles(self) -> int:
        """How many tiles there are, without flowers and seasons."""
        return {"start": 34, "easy": 68, "medium": 94, "hard": 136}[self.value]

    def raised(self, by: int) -> Difficulty:
        """So many difficulties up, never above HARD."""
        order = list(Difficulty)
        return order[min(order.index(self) + by, len(order) - 1)]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for everybody in a race."""

    difficulty: Difficulty = Difficulty.EASY
    flowers_and_seasons: bool = False
    shuffles: int | None = 3
    """None: as many as one likes."""
    shuffle_pause_s: int = 0
    hints: int | None = 3
    """0: there are none; None: as many as one likes."""
    winner_handicap: bool = False
    time_limit_min: int = 10
    idle_limit_s: int = 0
    """0: none."""

    @property
    def matching(self) -> Matching:
        """Which faces make a pair."""
        return Matching.FLOWERS_SEASONS if self.flowers_and_seasons else Matching.EXACT

    @property
    def time_limit(self) -> timedelta:
        """How long a finish is within the limit."""
        return timedelta(minutes=self.time_limit_min)

    @property
    def idle_limit(self) -> timedelta | None:
        """After how long without a move the CPU plays."""
        return timedelta(seconds=self.idle_limit_s) if self.idle_limit_s else None

    def tiles(self, difficulty: Difficulty) -> int:
        """How many tiles a board of this difficulty has."""
        return difficulty.tiles + (BONUS_TILES if self.flowers_and_seasons else 0)


DEFAULTS: Final = Settings()

_RANGES: Final = {
    "shuffles": range(10),
    "shuffle_pause_s": range(61),
    "hints": range(10),
    "time_limit_min": range(1, 61),
    "idle_limit_s": (0, 30, 60),
}
_TOLD: Final = {
    "shuffles": "0 to 9, or unlimited",
    "shuffle_pause_s": "0 to 60 seconds",
    "hints": "0 to 9, or unlimited",
    "time_limit_min": "1 to 60 minutes",
    "idle_limit_s": "none, 30 or 60 seconds",
}


@dataclass(frozen=True, slots=True)
class OutOfRange:
    """A setting that nobody may choose."""

    setting: str
    allowed: str
    bounds: tuple[int, int] | None
    """The least and the most, where all between them is allowed."""


def out_of_range(settings: Settings) -> OutOfRange | None:
    """The first setting outside its range, by name; None when all are within."""
    for name, allowed in _RANGES.items():
        value = getattr(settings, name)
        if value is not None and value not in allowed:
            bounds = (allowed[0], allowed[-1]) if isinstance(allowed, range) else None
            return OutOfRange(name, _TOLD[name], bounds)
    return None


def is_rated(settings: Settings, persons: int, cpu_players: int, *, wanted: bool) -> bool:
    """Whether a race counts for ratings: wanted, default settings, two persons at least, and no CPU."""
    return wanted and settings == DEFAULTS and persons >= 2 and not cpu_players
