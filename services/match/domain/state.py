"""The state of an attempt: a union of shapes, so that an impossible combination cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from services.match.commands import Deal
from services.match.domain.position import Position

MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What stays the same from start to end."""

    account_id: UUID
    deal: Deal
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's board and what that player knows of it."""

    position: Position
    lifted: int | None
    known: int
    """Tiles whose face was ever uncovered, by removal or by lifting; they stay known."""
    fresh: int
    """Those of `known` that the last command uncovered."""
    board_version: int
    """Counts the accepted commands."""
    touches: int
    """Counts touches and put-backs."""


@dataclass(frozen=True, slots=True)
class OpenJoker:
    """A joker that was asked for and whose outcome is open."""

    number: int
    first: int
    second: int
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class HeldJokers:
    """The jokers of an attempt."""

    requested: int = 0
    used: int = 0
    pending: OpenJoker | None = None
    given_up: tuple[int, ...] = ()
    """Numbers of requests that came to nothing: what the ledger took for them is given back."""


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A stream without events."""


@dataclass(frozen=True, slots=True)
class Running:
    """Commands are accepted."""

    attempt: Attempt
    seat: Seat
    last_at: datetime
    clock_since: datetime
    """Where the clock counts from: the start, moved on by every pause."""
    paused_until: datetime
    """Outages up to here are out of the clock already."""
    jokers: HeldJokers = HeldJokers()


@dataclass(frozen=True, slots=True)
class Cleared:
    """The board was cleared, and this is what it brought."""

    elapsed_ms: int
    place: int
    first_completion_points: int
    time_bonus_points: int


@dataclass(frozen=True, slots=True)
class Left:
    """The player left."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """The player went on in another attempt."""

    next_attempt_id: UUID


Ending = Cleared | Left | Restarted


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing changes any more."""

    attempt: Attempt
    seat: Seat
    last_at: datetime
    clock_since: datetime
    ending: Ending
    jokers: HeldJokers = HeldJokers()


Begun = Running | Ended
State = NotStarted | Begun


def elapsed_ms(clock_since: datetime, at: datetime) -> int:
    """Whole milliseconds on a clock at `at`; never negative."""
    return max(0, (at - clock_since) // MILLISECOND)


def ending_of(state: Begun) -> Ending | None:
    """How the attempt ended; None while it runs."""
    return state.ending if isinstance(state, Ended) else None
