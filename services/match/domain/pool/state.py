"""A game of the pool as its facts leave it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from libs.rules.tiles import Face
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.events import PoolEnded
from services.match.domain.pool.terms import (
    MILLISECOND,
    USES_MAX,
    Phase,
    PoolDeal,
    PoolTerms,
    SeatEnding,
    Stake,
    StakeRefusal,
)


@dataclass(frozen=True, slots=True)
class NotDealt:
    """No game of the pool has this id."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A pair that was taken, and the faces of the whole board before it: what an undo goes back to."""

    first: int
    second: int
    worth: int
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's own game."""

    account_id: UUID
    stake: Stake
    board: PoolBoard
    score: int = 0
    undos: int = 0
    shuffles: int = 0
    hints: int = 0
    taken: tuple[Taken, ...] = ()
    """The pairs that can be undone, the last one at the end."""
    board_version: int = 0
    """Counts the accepted commands of the seat."""
    shuffle_impossible: bool = False
    """Whether a shuffle of the board as it lies was found impossible."""
    stake_refusal: StakeRefusal | None = None
    ending: SeatEnding | None = None
    ended_at: datetime | None = None

    @property
    def plays(self) -> bool:
        """Whether the seat is in the game: it need not pay, or has paid."""
        return self.stake in {Stake.NONE, Stake.PAID}

    @property
    def has_moved(self) -> bool:
        """Whether it made a move: a pair, an undo, a shuffle or a hint."""
        return bool(self.taken or self.undos or self.shuffles or self.hints)

    @property
    def is_blocked(self) -> bool:
        """No pair, no usable shuffle and no usable undo: nothing can be done any more."""
        return not (
            self.board.pair_available
            or (self.shuffles < USES_MAX and self.board.can_shuffle)
            or (self.undos < USES_MAX and self.taken)
        )


@dataclass(frozen=True, slots=True)
class Dealt:
    """A game that was made."""

    terms: PoolTerms
    deal: PoolDeal
    phase: Phase
    dealt_at: datetime
    signal_at: datetime
    """Where the clock counts from, pauses taken out; only from the countdown on."""
    paused_until: datetime
    last_at: datetime
    seats: tuple[Seat, ...]
    ended: PoolEnded | None = None

    @property
    def ends_at(self) -> datetime:
        """When time is up."""
        return self.signal_at + self.terms.limit

    @property
    def pot(self) -> int:
        """Chips in escrow while the game goes on."""
        return self.terms.stake * sum(seat.stake is Stake.PAID for seat in self.seats)

    def clock(self, at: datetime) -> timedelta:
        """The time since the signal without pauses; zero before it; it stands still at the end."""
        if self.phase in {Phase.STAKING, Phase.COUNTDOWN}:
            return timedelta()
        until = self.ended.occurred_at if self.ended is not None else max(at, self.last_at)
        return max(timedelta(), until - self.signal_at)

    def clock_ms(self, at: datetime) -> int:
        """The clock in whole milliseconds."""
        return self.clock(at) // MILLISECOND

    def playing(self) -> Iterator[tuple[int, Seat]]:
        """The seats whose own game goes on, with their numbers."""
        return ((at, seat) for at, seat in enumerate(self.seats) if seat.plays and seat.ending is None)


State = NotDealt | Dealt


def seat_of(state: Dealt, account_id: UUID) -> int | None:
    """The seat of an account."""
    return next((at for at, seat in enumerate(state.seats) if seat.account_id == account_id), None)
