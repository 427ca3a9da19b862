"""Waiting for opponents: what a ticket is, who plays whom, how long it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import combinations
from statistics import median_low
from typing import Final, TypeAlias
from uuid import UUID

EXPECTED_WAIT_MIN: Final = timedelta(seconds=1)
SAMPLES_MIN: Final = 3
"""Fewer recent waits tell nothing."""


class Queue(StrEnum):
    """What one waits for."""

    QUICK_MATCH = "quick_match"
    ARENA = "arena"
    RACE = "race"
    POOL = "pool"

    @property
    def seats(self) -> int:
        """How many play one match, at most."""
        return SEATS[self]

    @property
    def seats_min(self) -> int:
        """How many are enough for a match, after a while."""
        return SEATS_MIN.get(self, self.seats)


SEATS: Final[Mapping[Queue, int]] = {Queue.QUICK_MATCH: 2, Queue.ARENA: 4, Queue.RACE: 8, Queue.POOL: 4}
SEATS_MIN: Final[Mapping[Queue, int]] = {Queue.RACE: 2, Queue.POOL: 2}
GATHERED_AFTER: Final = timedelta(seconds=10)
"""From the last ticket that is needed for the fewest seats: then a match begins with those who wait."""
LOOKED_AT_MAX: Final = 15
"""So many of those behind the first one are tried together for one table."""


@dataclass(frozen=True, slots=True)
class GameKind:
    """What is played, to the last setting of it."""

    queue: Queue
    private: bool = False
    """Whether it is made by invitation: it pays no account points."""
    stake: int | None = None
    """Chips that each seat of a pool match pays; None: what the queue plays for."""


Seating: TypeAlias = Mapping[UUID, tuple[UUID, ...]]
"""Who is to play, by seat, in each of some new matches."""
Met: TypeAlias = Mapping[UUID, AbstractSet[UUID]]
"""Whom an account met in its last match; who is absent met nobody."""


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
class Room:
    """A private game that waits for its players."""

    code: str
    seats: int
    """How many play it."""
    stake: int | None
    """Chips that each seat of a pool match pays."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One account's place in a queue."""

    ticket_id: UUID
    account_id: UUID
    queue: Queue
    created_at: datetime
    expires_at: datetime
    standing: Standing = Waiting()
    room: Room | None = None
    """Of a private game: it waits for whoever has this one's code, and in no queue."""


Table: TypeAlias = tuple[Ticket, ...]
"""Tickets that become one match."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was known about the wait: waits of those who came first, and whether enough others wait now."""

    recent_waits: tuple[timedelta, ...]
    others_wait: bool


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


def choose_tables(waiting: Sequence[Ticket], met: Met, seats: int, *, all_are_here: bool) -> list[Table]:
    """Who plays with whom, of tickets in the order of arrival; the rest goes on waiting.

    Nobody sits with an opponent of the last match while others would do. With two seats last opponents wait,
    unless nobody else does (`all_are_here`: these are all tickets there are). With more seats nobody waits
    for that: as soon as enough are there, the one who waits longest gets the table on which the fewest were
    together in a last match, of equal ones that of the earliest arrivals.
    """
    if seats == 2:
        return _choose_pairs(waiting, met, all_are_here=all_are_here)
    left, tables = list(waiting), []
    while len(left) >= seats:
        first = left.pop(0)
        table = _table_for(first, left, met, seats)
        if table:
            left = [ticket for ticket in left if ticket not in table]
            tables.append(table)
    return tables


def gather(
    waiting: Sequence[Ticket], met: Met, queue: Queue, now: datetime, *, all_are_here: bool
) -> list[Table]:
    """Who plays with whom where a match begins with fewer than all seats when it has been gathered for long.

    Full tables first. The rest, if they are enough, begin ten seconds after the one arrived who made them
    enough: the one who waits longest with those behind, last opponents of anybody at the table left for later
    while others wait; with nobody else they do meet again.
    """
    tables = choose_tables(waiting, met, queue.seats, all_are_here=all_are_here)
    if not all_are_here or queue.seats_min == queue.seats:
        return tables
    seated = {ticket.ticket_id for table in tables for ticket in table}
    rest = [ticket for ticket in waiting if ticket.ticket_id not in seated]
    if len(rest) < queue.seats_min or now < rest[queue.seats_min - 1].created_at + GATHERED_AFTER:
        return tables
    table = [rest[0]]
    for ticket in rest[1:]:
        if all(may_meet(seated, ticket, met) for seated in table):
            table.append(ticket)
    return [*tables, tuple(table if len(table) >= queue.seats_min else rest)]


def _table_for(first: Ticket, others: Sequence[Ticket], met: Met, seats: int) -> Table:
    """The table of the one who waits longest; those who did not meet that one last are looked at first."""
    candidates = sorted(others, key=lambda other: not may_meet(first, other, met))[:LOOKED_AT_MAX]
    best: Table = ()
    fewest = seats * seats  # more than there can be
    for chosen in combinations(candidates, seats - 1):
        table = (first, *chosen)
        if len({ticket.account_id for ticket in table}) < seats:
            continue  # nobody plays against oneself
        again = meetings_again(table, met)
        if again < fewest:
            best, fewest = table, again
        if not again:
            break
    return tuple(sorted(best, key=lambda ticket: -1 if ticket is first else others.index(ticket)))


def meetings_again(table: Table, met: Met) -> int:
    """How many pairs of a table were opponents in the last match of one of the two."""
    return sum(not may_meet(one, other, met) for one, other in combinations(table, 2))


def _choose_pairs(waiting: Sequence[Ticket], met: Met, *, all_are_here: bool) -> list[Table]:
    """Tables of two.

    The one who waits longest gets the first one behind where neither was the other's last opponent. Two who
    are left over then change partners with a pair, if all four may meet so; else they play each other only
    when nobody else waits.
    """
    left = list(waiting)
    aside: list[Ticket] = []
    pairs: list[Table] = []
    while left:
        first = left.pop(0)
        second = next((other for other in left if may_meet(first, other, met)), None)
        if second is None:
            aside.append(first)
        else:
            left.remove(second)
            pairs.append((first, second))
    if len(aside) >= 2:
        pairs = _with_two_more(pairs, aside[0], aside[1], met, all_are_here=all_are_here)
    return pairs


def _with_two_more(
    pairs: list[Table], one: Ticket, other: Ticket, met: Met, *, all_are_here: bool
) -> list[Table]:
    """The pairs with two last opponents among them, where that can be."""
    for at in reversed(range(len(pairs))):
        first, second = pairs[at]
        for left, right in ((one, other), (other, one)):
            if may_meet(first, left, met) and may_meet(second, right, met):
                return [*pairs[:at], (first, left), (second, right), *pairs[at + 1 :]]
    return [*pairs, (one, other)] if all_are_here and one.account_id != other.account_id else pairs


def may_meet(first: Ticket, second: Ticket, met: Met) -> bool:
    """Whether these are two players, and neither was an opponent in the other's last match."""
    one, other = first.account_id, second.account_id
    return one != other and other not in met.get(one, ()) and one not in met.get(other, ())


def expected_wait(ticket: Ticket, known: Expectation, now: datetime) -> timedelta | None:
    """How much longer a ticket will probably wait: at least a second, never beyond its end; None: who knows.

    The median of recent waits that were longer than this one has been. With enough others waiting it is over
    at once, or when they have been gathered for ten seconds.
    """
    if not isinstance(ticket.standing, Waiting) or now >= ticket.expires_at:
        return None
    left = ticket.expires_at - now
    if known.others_wait:
        is_full = ticket.queue.seats_min == ticket.queue.seats
        return min(EXPECTED_WAIT_MIN if is_full else GATHERED_AFTER, left)
    waited = now - ticket.created_at
    longer = [wait for wait in known.recent_waits if wait >= waited]
    if len(longer) < SAMPLES_MIN:
        return None
    return min(max(median_low(longer) - waited, EXPECTED_WAIT_MIN), left)
