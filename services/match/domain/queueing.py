"""Waiting for opponents: what a ticket is, who plays whom, how long it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median_low
from typing import Final, TypeAlias
from uuid import UUID

EXPECTED_WAIT_MIN: Final = timedelta(seconds=1)
SAMPLES_MIN: Final = 3
"""Fewer recent waits tell nothing."""


class Queue(StrEnum):
    """What one waits for."""

    QUICK_MATCH = "quick_match"


class TicketRefusal(StrEnum):
    """Reasons of the error table, in order of precedence."""

    NOT_FOUND = "NOT_FOUND"
    """No such ticket, or one that ended more than a day ago."""
    NOT_YOURS = "NOT_YOURS"
    """Another player's ticket."""
    ALREADY_QUEUED = "ALREADY_QUEUED"
    """Another ticket of the account waits."""
    ALREADY_SEATED = "ALREADY_SEATED"
    """The account plays a match that is not over."""
    TICKET_MATCHED = "TICKET_MATCHED"
    """Too late to cancel: the match has been found."""
    TICKET_EXPIRED = "TICKET_EXPIRED"
    """It waits no more anyway."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing became of it yet."""


@dataclass(frozen=True, slots=True)
class Matched:
    """It led to a match."""

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
class Ticket:
    """One account's place in a queue."""

    ticket_id: UUID
    account_id: UUID
    queue: Queue
    created_at: datetime
    expires_at: datetime
    standing: Standing = Waiting()


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was known about the wait: waits of those who came first, and whether somebody waits now."""

    recent_waits: tuple[timedelta, ...]
    another_waits: bool


def settle(ticket: Ticket, now: datetime) -> Ticket:
    """The ticket as it stands at `now`: what waited until its end has expired then."""
    if isinstance(ticket.standing, Waiting) and now >= ticket.expires_at:
        return replace(ticket, standing=Expired(ticket.expires_at))
    return ticket


def cancel(ticket: Ticket, account_id: UUID, now: datetime) -> Ticket | TicketRefusal:
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
        case Waiting():
            return replace(ticket, standing=Cancelled(now))


def choose_pairs(
    waiting: Sequence[Ticket], last_opponents: Mapping[UUID, UUID], *, all_are_here: bool
) -> list[tuple[Ticket, Ticket]]:
    """Who plays whom, of tickets in the order of arrival; the rest goes on waiting.

    The one who waits longest gets the first one behind where neither was the other's last opponent. Two who
    are left over then change partners with a pair, if all four may meet so; else they play each other only
    when nobody else waits (`all_are_here`: these are all tickets there are).
    """
    left = list(waiting)
    aside: list[Ticket] = []
    pairs: list[tuple[Ticket, Ticket]] = []
    while left:
        first = left.pop(0)
        second = next((other for other in left if may_meet(first, other, last_opponents)), None)
        if second is None:
            aside.append(first)
        else:
            left.remove(second)
            pairs.append((first, second))
    if len(aside) >= 2:
        pairs = _with_two_more(pairs, aside[0], aside[1], last_opponents, all_are_here=all_are_here)
    return pairs


def _with_two_more(
    pairs: list[tuple[Ticket, Ticket]],
    one: Ticket,
    other: Ticket,
    last_opponents: Mapping[UUID, UUID],
    *,
    all_are_here: bool,
) -> list[tuple[Ticket, Ticket]]:
    """The pairs with two last opponents among them, where that can be."""
    for at in reversed(range(len(pairs))):
        first, second = pairs[at]
        for left, right in ((one, other), (other, one)):
            if may_meet(first, left, last_opponents) and may_meet(second, right, last_opponents):
                return [*pairs[:at], (first, left), (second, right), *pairs[at + 1 :]]
    return [*pairs, (one, other)] if all_are_here and one.account_id != other.account_id else pairs


def may_meet(first: Ticket, second: Ticket, last_opponents: Mapping[UUID, UUID]) -> bool:
    """Whether these are two players, and neither was the other's last opponent."""
    one, other = first.account_id, second.account_id
    return one != other and last_opponents.get(one) != other and last_opponents.get(other) != one


def expected_wait(ticket: Ticket, known: Expectation, now: datetime) -> timedelta | None:
    """How much longer a ticket will probably wait: at least a second, never beyond its end; None: who knows.

    The median of recent waits that were longer than this one has been. With somebody else waiting it is over
    at once.
    """
    if not isinstance(ticket.standing, Waiting) or now >= ticket.expires_at:
        return None
    left = ticket.expires_at - now
    if known.another_waits:
        return min(EXPECTED_WAIT_MIN, left)
    waited = now - ticket.created_at
    longer = [wait for wait in known.recent_waits if wait >= waited]
    if len(longer) < SAMPLES_MIN:
        return None
    return min(max(median_low(longer) - waited, EXPECTED_WAIT_MIN), left)
