"""Past facts of a round. `occurred_at` never falls within a stream; a deadline's facts occurred at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.board import Blocked
from services.match.domain.rivals.stage import ONLY_ROUND, Stage
from services.match.domain.rivals.terms import (
    EndReason,
    OutReason,
    PairKind,
    RoundDeal,
    SeatEnd,
    Verdict,
)
from services.match.events import ClockPaused, JokerGivenUp, JokerRequested, JokerUsed

__all__ = [
    "ClockPaused",
    "DealRevealed",
    "Event",
    "JokerGivenUp",
    "JokerRequested",
    "JokerUsed",
    "Move",
    "RoundDealt",
    "RoundEnded",
    "RoundStarted",
    "SeatLiftedTile",
    "SeatPutTileBack",
    "SeatRemovedPair",
    "SeatTouchedBlocked",
    "SeatTouchedNotSame",
    "SeatWentOut",
]


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A board was dealt face down to the seats of a match: the countdown begins, or a break before it."""

    match_id: UUID
    accounts: tuple[UUID, ...]
    deal: RoundDeal
    occurred_at: datetime
    stage: Stage = ONLY_ROUND


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The signal: faces are shown and all clocks run from here."""

    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatLiftedTile:
    """A free tile was lifted; `replaced` went back for it."""

    seat: int
    tile: int
    replaced: int | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatPutTileBack:
    """The lifted tile was put back."""

    seat: int
    tile: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatTouchedNotSame:
    """The touched tile does not match the lifted one and is free only while that one is away."""

    seat: int
    tile: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatTouchedBlocked:
    """A blocked tile was touched; `round_score` is what that left."""

    seat: int
    tile: int
    why: Blocked
    round_score: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatRemovedPair:
    """Both tiles left the board; `first` was the lifted one. What it was worth is judged once, here."""

    seat: int
    first: int
    second: int
    kind: PairKind
    worth: int
    round_score: int
    took_ms: int
    """Since the seat's pair before, or the signal."""
    record_ms: int
    """The seat's record after it."""
    verdict: Verdict
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatWentOut:
    """The seat plays no further and keeps its score."""

    seat: int
    reason: OutReason
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The round is over for everybody; seats in their order."""

    reason: EndReason
    seats: tuple[SeatEnd, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class DealRevealed:
    """What the commitment covered."""

    catalogue_version: int
    layout_name: str
    distinct_faces: int
    seed: bytes
    nonce: bytes
    occurred_at: datetime


Move = SeatLiftedTile | SeatPutTileBack | SeatTouchedNotSame | SeatTouchedBlocked | SeatRemovedPair
Event = (
    RoundDealt
    | RoundStarted
    | ClockPaused
    | Move
    | JokerRequested
    | JokerUsed
    | JokerGivenUp
    | SeatWentOut
    | RoundEnded
    | DealRevealed
)
