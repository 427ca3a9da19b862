"""Facts of a game of the pool. One stream per game; every fact says when it occurred."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.tiles import Face
from services.match.domain.pool.terms import (
    PoolDeal,
    PoolEnding,
    PoolTerms,
    SeatEnding,
    SeatResult,
    StakeRefusal,
)
from services.match.events import ClockPaused

__all__ = ["ClockPaused"]


@dataclass(frozen=True, slots=True)
class PoolDealt:
    """A game was made. In a match the stakes are due now; training is under way."""

    terms: PoolTerms
    deal: PoolDeal
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class StakePaid:
    """The stake of a seat lies in escrow."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class StakeRefused:
    """The stake of a seat was not taken: the seat does not play."""

    seat: int
    reason: StakeRefusal
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class CountdownBegun:
    """All stakes are decided and at least two are paid: three seconds to the signal."""

    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolStarted:
    """The signal: faces are shown, the clock runs."""

    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolPairRemoved:
    """A seat took a pair."""

    seat: int
    first: int
    second: int
    worth: int
    score: int
    """Of the seat, afterwards."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolPairUndone:
    """Faces, places and score are as before the last pair, and the undo was charged."""

    seat: int
    first: int
    second: int
    charge: int
    score: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolShuffled:
    """The faces of the tiles that are left lie anew; a pair is available."""

    seat: int
    faces: tuple[Face, ...]
    """For every tile of the layout; those of tiles that have gone are as they were."""
    charge: int
    score: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolShuffleImpossible:
    """No permutation has an available pair: nothing charged, nothing used."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolHintGiven:
    """A seat was shown the available pair of the highest value."""

    seat: int
    first: int
    second: int
    charge: int
    score: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolSeatEnded:
    """The game of a seat is over; the score stays."""

    seat: int
    ending: SeatEnding
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolEnded:
    """The game is over for everybody; payouts by seat are the whole pot, or all stakes that were paid."""

    ending: PoolEnding
    seats: tuple[SeatResult, ...]
    next_game_id: UUID | None
    """Of training that another game took the place of."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PoolDealRevealed:
    """What the commitment covered."""

    catalogue_version: int
    layout_name: str
    distinct_faces: int
    seed: bytes
    nonce: bytes
    occurred_at: datetime


Event = (
    PoolDealt
    | StakePaid
    | StakeRefused
    | CountdownBegun
    | PoolStarted
    | ClockPaused
    | PoolPairRemoved
    | PoolPairUndone
    | PoolShuffled
    | PoolShuffleImpossible
    | PoolHintGiven
    | PoolSeatEnded
    | PoolEnded
    | PoolDealRevealed
)
"""All facts of a game, `ClockPaused` included."""

BoardFact = PoolPairRemoved | PoolPairUndone | PoolShuffled | PoolShuffleImpossible | PoolHintGiven
"""Accepted commands of a seat on its board."""
