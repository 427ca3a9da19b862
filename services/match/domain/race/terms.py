"""The words of a race: seats, deals, CPU players, and how a seat ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.domain.race.settings import Difficulty

COUNTDOWN: Final = timedelta(seconds=3)
RACE_MAX: Final = timedelta(minutes=60)
GRACE: Final = timedelta(seconds=30)
"""How long an absent player's board waits before the CPU plays on it."""
TOUCHES_MAX: Final = 1_200
MILLISECOND: Final = timedelta(milliseconds=1)


class CpuLevel(StrEnum):
    """How well and how fast a CPU player plays."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class FinishClass(StrEnum):
    """The four classes of the placing, the best first."""

    WITHIN_LIMIT = "within_limit"
    OVER_LIMIT = "over_limit"
    UNFINISHED = "unfinished"
    """Still playing at the end, or blocked without a shuffle."""
    GIVEN_UP = "given_up"
    """Gave up while something could be done, or left and was not back; a board that the CPU finished."""


class EndReason(StrEnum):
    """Why a race is over."""

    ALL_DONE = "all_done"
    """Every person has finished, is blocked without shuffles, or has left."""
    TIME = "time"
    """60 minutes after the start."""


@dataclass(frozen=True, slots=True)
class RaceDeal:
    """A board from a secret seed; everything that the commitment covers, and a play that clears it."""

    difficulty: Difficulty
    catalogue_version: int
    layout: Layout
    layout_title: str
    distinct_faces: int
    """How many different ordinary faces are on it."""
    faces: tuple[Face, ...]
    certificate: Certificate
    seed: bytes
    nonce: bytes
    commitment: bytes


@dataclass(frozen=True, slots=True)
class RaceSeat:
    """Who plays which deal: a person, or a CPU player of some level."""

    account_id: UUID | None
    cpu: CpuLevel | None
    deal: int
    """Which of the race's deals; all have the first one, except under the handicap."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a race did to a player's rating: the published numbers, and what stands behind them."""

    before: int
    """0: the account had none."""
    after: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How one seat ended."""

    place: int
    """From 1; ties share it."""
    finish_class: FinishClass
    elapsed_ms: int | None
    """When the board was cleared; None when it was not."""
    tiles_left: int
    cpu_played: bool
    """The CPU cleared the board of a person, or the person was not back at the end."""
    rating: RatingChange | None = None
