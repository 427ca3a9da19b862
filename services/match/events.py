"""Past facts of an attempt, and of jokers and pauses in every mode.

`occurred_at` never falls within a stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.board import Blocked
from services.match.commands import Deal, GiveUpReason


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """A player started a level and was sent its faces: the clock runs from here."""

    account_id: UUID
    deal: Deal
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TileLifted:
    """A free tile was lifted; `replaced` went back for it."""

    tile: int
    replaced: int | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TilePutBack:
    """The lifted tile was put back."""

    tile: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PairRemoved:
    """Both tiles left the board; `first` was the lifted one."""

    first: int
    second: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TouchNotSame:
    """The touched tile does not match the lifted one and is free only while that one is away."""

    tile: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TouchBlocked:
    """A blocked tile was touched."""

    tile: int
    why: Blocked
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class ClockPaused:
    """Nobody could play from `since` to `until`: the clocks of the game leave that time out."""

    since: datetime
    until: datetime
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class JokerRequested:
    """A joker was asked for; the ledger is to take it under this number. An attempt has seat 0."""

    seat: int
    number: int
    """Counts the seat's requests, from 1."""
    first: int
    second: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class JokerUsed:
    """The joker was spent and took the lifted tile and its partner. Worth and score are a round's."""

    seat: int
    number: int
    first: int
    second: int
    worth: int
    round_score: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class JokerGivenUp:
    """The joker will not be used: whatever the ledger took is given back."""

    seat: int
    number: int
    reason: GiveUpReason
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class AttemptCleared:
    """The last pair was removed. Place and points are the verdict of that moment, never computed again."""

    account_id: UUID
    level: int
    catalogue_version: int
    elapsed_ms: int
    place: int
    first_completion_points: int
    time_bonus_points: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class AttemptLeft:
    """The player left."""

    account_id: UUID
    level: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class AttemptRestarted:
    """The player gave this attempt up for another on the same deal."""

    account_id: UUID
    level: int
    next_attempt_id: UUID
    occurred_at: datetime


Event = (
    AttemptStarted
    | TileLifted
    | TilePutBack
    | PairRemoved
    | TouchNotSame
    | TouchBlocked
    | ClockPaused
    | JokerRequested
    | JokerUsed
    | JokerGivenUp
    | AttemptCleared
    | AttemptLeft
    | AttemptRestarted
)
