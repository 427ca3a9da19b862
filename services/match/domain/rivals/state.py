"""The state of a round: a union of shapes, so that an impossible combination cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.stage import Stage
from services.match.domain.rivals.terms import OutReason, RoundDeal
from services.match.domain.state import Seat


@dataclass(frozen=True, slots=True)
class Round:
    """What stays the same from deal to end."""

    match_id: UUID
    accounts: tuple[UUID, ...]
    deal: RoundDeal
    dealt_at: datetime
    stage: Stage


@dataclass(frozen=True, slots=True)
class PendingJoker:
    """A joker that was asked for and whose outcome is open."""

    number: int
    first: int
    second: int
    requested_at: datetime
    held_since: datetime
    """Where it began to hold the seat's 20 seconds, moved on by pauses."""


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: its board, its score, its clocks."""

    account_id: UUID
    board: Seat
    score: int
    record_ms: int | None
    """The shortest time of a pair so far; None before the first pair."""
    pace_since: datetime
    """Where the time of the next pair counts from."""
    idle_since: datetime
    """Where the 20 seconds without a pair count from."""
    jokers_requested: int
    jokers_used: int
    pending: PendingJoker | None
    given_up: tuple[int, ...]
    """Numbers of joker requests that came to nothing: what the ledger took for them is given back."""
    out: OutReason | None

    @property
    def cleared(self) -> bool:
        """Whether nothing is left of the board."""
        return self.board.position.present == 0


@dataclass(frozen=True, slots=True)
class NotDealt:
    """A stream without events."""


@dataclass(frozen=True, slots=True)
class Countdown:
    """3, 2, 1, or a break before it: nothing can be played and no face is shown."""

    round: Round
    since: datetime
    """When the countdown began, moved on by pauses."""
    last_at: datetime
    paused_until: datetime
    """Outages up to here have been taken out."""
    left: tuple[int, ...]
    """Seats that have left the match, ascending."""

    @property
    def signal_at(self) -> datetime:
        """When the signal is due."""
        return self.since + self.round.stage.countdown


@dataclass(frozen=True, slots=True)
class Playing:
    """Commands are accepted."""

    round: Round
    players: tuple[Player, ...]
    since: datetime
    """The signal, moved on by pauses: the round's clock."""
    last_at: datetime
    paused_until: datetime


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing changes any more, except what jokers still owe the ledger."""

    round: Round
    players: tuple[Player, ...]
    since: datetime
    last_at: datetime
    ended: RoundEnded


Dealt = Countdown | Playing | Over
State = NotDealt | Dealt


def seat_of(state: Dealt, account_id: UUID) -> int | None:
    """The seat of an account; None when it sits elsewhere."""
    accounts = state.round.accounts
    return accounts.index(account_id) if account_id in accounts else None
