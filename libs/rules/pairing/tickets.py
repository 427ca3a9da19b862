"""Waiting for a game: what a ticket is, what becomes of it, how long it may take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median_low
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

EXPECTED_WAIT_MIN: Final = timedelta(seconds=1)
SAMPLES_MIN: Final = 3
"""Fewer recent waits tell nothing."""

Q = TypeVar("Q", bound=StrEnum)


class TicketRefusal(StrEnum):
    """Reasons of the error table, in order of precedence."""

    NOT_FOUND = "NOT_FOUND"
    """No such ticket, or one that ended more than a day ago."""
    NOT_YOURS = "NOT_YOURS"
    """Another player's ticket."""
    ALREADY_QUEUED = "ALREADY_QUEUED"
    """Another ticket of the account waits."""
    ALREADY_SEATED = "ALREADY_SEATED"
    """The account plays a game that is not over."""
    TICKET_MATCHED = "TICKET_MATCHED"
    """Too late to cancel: the game has been found."""
    TICKET_EXPIRED = "TICKET_EXPIRED"
    """It waits no more anyway."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing became of it yet."""


@dataclass(frozen=True, slots=True)
class Matched:
    """It led to a game."""

    match_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The player did not want to wait any more."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Expired:
    """It waited as long as tickets may."""

    at: datetime


Standing: TypeAlias = Waiting | Matched | Cancelled | Expired


@dataclass(frozen=True, slots=True)
class Room:
    """A private game that waits for its players."""

    code: str
    seats: int
    """How many persons play it."""
    stake: int | None = None
    """Chips that each seat pays, of a game for chips."""


@dataclass(frozen=True, slots=True)
class Ticket(Generic[Q]):
    """One account's place in a queue."""

    ticket_id: UUID
    account_id: UUID
    queue: Q
    created_at: datetime
    expires_at: datetime
    standing: Standing = Waiting()
    room: Room | None = None
    """Of a private game: it waits for whoever has this one's code, and in no queue."""


T = TypeVar("T", bound=Ticket[Any])


@dataclass(frozen=True, slots=True)
class TicketView(Generic[T]):
    """A ticket and how much longer it will probably wait."""

    ticket: T
    expected_wait: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was known about the wait: waits of those who came first, whether enough others wait now."""

    recent_waits: tuple[timedelta, ...]
    others_wait: bool
    oldest_at: datetime | None = None
    """Since when the first of the others waits."""


def settle(ticket: T, now: datetime) -> T:
    """The ticket as it stands at `now`: what waited until its end has expired then."""
    if isinstance(ticket.standing, Waiting) and now >= ticket.expires_at:
        return replace(ticket, standing=Expired(ticket.expires_at))
    return ticket


def cancel(ticket: T, account_id: UUID, now: datetime) -> T | TicketRefusal:
    """The ticket, cancelled; what was cancelled before stays so."""
    if ticket.account_id != account_id:
        return TicketRefusal.NOT_YOURS
    settled = settle(ticket, now)
    match settled.standing:
        case Matched():
            return TicketRefusal.TICKET_MATCHED
        case Expired():
            return TicketRefusal.TICKET_EXPIRED
        case Cancelled():
            return settled
        case _:
            return replace(ticket, standing=Cancelled(now))


def expected_wait(
    ticket: Ticket[Any], known: Expectation, now: datetime, *, once_enough_wait: timedelta = EXPECTED_WAIT_MIN
) -> timedelta | None:
    """How much longer a ticket will probably wait: at least a second, never beyond its end; None: who knows.

    The median of recent waits that were longer than this one has been. With enough others waiting it is over
    after `once_enough_wait`.
    """
    if not isinstance(ticket.standing, Waiting) or now >= ticket.expires_at:
        return None
    left = ticket.expires_at - now
    if known.others_wait:
        return min(once_enough_wait, left)
    waited = now - ticket.created_at
    longer = [wait for wait in known.recent_waits if wait >= waited]
    if len(longer) < SAMPLES_MIN:
        return None
    return min(max(median_low(longer) - waited, EXPECTED_WAIT_MIN), left)
