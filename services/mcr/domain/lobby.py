"""How tables form: queues by the number of deals, who sits together and where, how long it may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID

from libs.rules.mcr.wall import SEATS
from libs.rules.pairing import choosing, rematch, tickets
from libs.rules.pairing.choosing import Met
from libs.rules.pairing.tickets import EXPECTED_WAIT_MIN, Expectation, Waiting
from services.mcr.domain.deal.terms import STAND_IN, Ai, AiLevel, Occupant, Person
from services.mcr.domain.session.terms import Closing, TableTerms

DRAWN_BYTES: Final = 8 * SEATS
"""Eight for each seat: that two draw the same will not happen, and would do no harm."""


class Queue(StrEnum):
    """What one waits for: a table of so many deals."""

    ONE = "deals_1"
    FOUR = "deals_4"
    EIGHT = "deals_8"
    SIXTEEN = "deals_16"

    @property
    def deals(self) -> int:
        """How many are played."""
        return int(self.value.rpartition("_")[2])


QUEUE_OF: Final = {queue.deals: queue for queue in Queue}
"""By the number of deals."""


@dataclass(frozen=True, slots=True)
class Ticket(tickets.Ticket[Queue]):
    """One account's place in a queue, or at a private table."""

    level: AiLevel = STAND_IN
    """Of the AI players, should there be seats for them."""


TicketView: TypeAlias = tickets.TicketView[Ticket]


@dataclass(frozen=True, slots=True)
class TableKind:
    """What is played at a table."""

    deals: int
    level: AiLevel = STAND_IN
    private: bool = False


Rematch: TypeAlias = rematch.Rematch[TableKind]


def gather(
    waiting: Sequence[Ticket], met: Met, now: datetime, fill_after: timedelta, *, all_are_here: bool
) -> list[tuple[Ticket, ...]]:
    """Who sits together, of tickets of one queue in the order of arrival.

    Four at a table. The rest sits down once the one who waits longest has waited for `fill_after`; who met
    somebody there at the last table is left for later, unless nobody else waits.
    """
    return choosing.gather(
        waiting, met, now, seats=SEATS, needed=1, after=fill_after, all_are_here=all_are_here
    )


def occupants(persons: Sequence[UUID], level: AiLevel, drawn: bytes) -> tuple[Occupant, ...]:
    """Who sits where: persons, and AI players on the other seats, in the order of what each has drawn."""
    assert len(drawn) == DRAWN_BYTES, "something for each seat"
    assert 1 <= len(persons) <= SEATS, "one to four"
    all_four: list[Occupant] = [*map(Person, persons), *[Ai(level)] * (SEATS - len(persons))]
    draws = [drawn[at : at + 8] for at in range(0, DRAWN_BYTES, 8)]
    return tuple(all_four[one] for one in sorted(range(SEATS), key=draws.__getitem__))


def expected_wait(
    ticket: Ticket, known: Expectation, now: datetime, fill_after: timedelta
) -> timedelta | None:
    """How much longer a ticket will probably wait; never beyond the moment when AI players fill the table."""
    if not isinstance(ticket.standing, Waiting) or now >= ticket.expires_at:
        return None
    first_at = min(ticket.created_at, known.oldest_at or ticket.created_at)
    latest = max(first_at + fill_after - now, EXPECTED_WAIT_MIN)
    probable = tickets.expected_wait(ticket, known, now)
    return latest if probable is None else min(probable, latest)


def rematch_of(terms: TableTerms, closing: Closing, ended_at: datetime) -> Rematch | None:
    """What a table offers its persons at its end; nothing where its deals were not played to the end."""
    if closing is not Closing.PLAYED or not terms.persons:
        return None
    levels = [each.level for each in terms.occupants if isinstance(each, Ai)]
    kind = TableKind(terms.deals, levels[0] if levels else STAND_IN, terms.private)
    return rematch.offer(terms.table_id, kind, terms.persons, ended_at)
