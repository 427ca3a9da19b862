"""Past facts of a race. `occurred_at` never falls within a stream; a deadline's facts occurred at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.board import Blocked
from libs.rules.tiles import Face
from services.match.domain.race.settings import Settings
from services.match.domain.race.terms import EndReason, RaceDeal, RaceSeat, SeatEnd
from services.match.events import ClockPaused

__all__ = [
    "ClockPaused",
    "Event",
    "RaceBoardShuffled",
    "RaceDealt",
    "RaceEnded",
    "RaceHintShown",
    "RacePairRemoved",
    "RaceSeatAway",
    "RaceSeatBack",
    "RaceSeatGaveUp",
    "RaceStarted",
    "RaceTileTouched",
]


@dataclass(frozen=True, slots=True)
class RaceDealt:
    """Boards were dealt face down; the countdown begins."""

    race_id: UUID
    group_id: UUID | None
    """None: out of the queue."""
    settings: Settings
    rated: bool
    seats: tuple[RaceSeat, ...]
    deals: tuple[RaceDeal, ...]
    cpu_seed: bytes
    """32 bytes that the choices of CPU players follow from."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceStarted:
    """The signal: faces are shown, the clock runs."""

    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RacePairRemoved:
    """A pair left a board."""

    seat: int
    first: int
    second: int
    by_cpu: bool
    """In place of the person who has the seat; False for CPU players."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceTileTouched:
    """A touch that changed nothing: free of charge, and it tells why."""

    seat: int
    tile: int
    why: Blocked | None
    """Why the tile is blocked; None where it is free."""
    not_same: bool
    """Two free tiles that do not match."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceBoardShuffled:
    """A blocked board was shuffled: it can be cleared again."""

    seat: int
    faces: tuple[Face, ...]
    present: int
    moved: bool
    """Tiles took other places: over those that were left no arrangement could be cleared."""
    by_cpu: bool
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceHintShown:
    """An available pair was lit."""

    seat: int
    first: int
    second: int
    by_cpu: bool
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceSeatGaveUp:
    """A person gave up."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceSeatAway:
    """A person left, or nothing is heard of them: the grace runs."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceSeatBack:
    """A person who was away is back, on the board as it stands."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RaceEnded:
    """The race is over; everything by seat."""

    race_id: UUID
    group_id: UUID | None
    reason: EndReason
    rated: bool
    accounts: tuple[UUID | None, ...]
    ends: tuple[SeatEnd, ...]
    occurred_at: datetime


Move = RacePairRemoved | RaceTileTouched | RaceBoardShuffled | RaceHintShown
SeatEvent = Move | RaceSeatGaveUp | RaceSeatAway | RaceSeatBack
Event = RaceDealt | RaceStarted | ClockPaused | SeatEvent | RaceEnded
