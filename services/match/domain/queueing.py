"""Waiting for opponents: which queues there are, how many play, when it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID

from libs.rules.pairing import choosing, rematch, tickets
from libs.rules.pairing.choosing import Met
from libs.rules.pairing.tickets import EXPECTED_WAIT_MIN, Expectation


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


@dataclass(frozen=True, slots=True)
class GameKind:
    """What is played, to the last setting of it."""

    queue: Queue
    private: bool = False
    """Whether it is made by invitation: it pays no account points."""
    stake: int | None = None
    """Chips that each seat of a pool match pays; None: what the queue plays for."""


Rematch: TypeAlias = rematch.Rematch[GameKind]
Seating: TypeAlias = Mapping[UUID, tuple[UUID, ...]]
"""Who is to play, by seat, in each of some new matches."""


@dataclass(frozen=True, slots=True)
class Ticket(tickets.Ticket[Queue]):
    """One account's place in a queue, or in a private game."""


TicketView: TypeAlias = tickets.TicketView[Ticket]
Table: TypeAlias = tuple[Ticket, ...]
"""Tickets that become one match."""


def gather(
    waiting: Sequence[Ticket], met: Met, queue: Queue, now: datetime, *, all_are_here: bool
) -> list[Table]:
    """Who plays with whom: full tables first, the others ten seconds after enough for a match were there."""
    return choosing.gather(
        waiting,
        met,
        now,
        seats=queue.seats,
        needed=queue.seats_min,
        after=GATHERED_AFTER,
        all_are_here=all_are_here,
    )


def expected_wait(ticket: Ticket, known: Expectation, now: datetime) -> timedelta | None:
    """How much longer a ticket will probably wait; where fewer may begin, those who wait are gathered."""
    is_full = ticket.queue.seats_min == ticket.queue.seats
    once_enough_wait = EXPECTED_WAIT_MIN if is_full else GATHERED_AFTER
    return tickets.expected_wait(ticket, known, now, once_enough_wait=once_enough_wait)
