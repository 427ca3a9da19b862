"""What players order of the queues: wait, look, stop waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Request
from libs.queueing import tickets as queueing
from libs.queueing.store import read_expectation
from libs.rules.pairing.tickets import Room, TicketRefusal
from libs.runtime.errors import Refused
from services.match.domain.queueing import Queue, Ticket, TicketView, expected_wait
from services.match.queue import store as rows
from services.match.queue.refusals import ticket_refused
from services.match.wire.tickets import keep, kept

VALID_FOR: Final = timedelta(minutes=5)


class Tickets(queueing.Tickets[Ticket]):
    """The tickets of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        bus: Bus,
        randomness: Callable[[int], bytes],
        *,
        valid_for: timedelta = VALID_FOR,
    ) -> None:
        """Tickets wait for `valid_for`."""
        super().__init__("match", rows.TICKETS, store, bus, randomness)
        self._valid_for = valid_for

    async def create(
        self,
        account_id: UUID,
        queue: Queue,
        request: Request,
        at: datetime,
        *,
        room: Room | None = None,
        valid_for: timedelta | None = None,
    ) -> TicketView:
        """Wait in a queue, or in a room. A repeat gets the first answer, whatever came of it since."""
        expires_at = at + (valid_for or self._valid_for)
        return await self.open(
            Ticket(self.new_id(at), account_id, queue, at, expires_at, room=room), request, at
        )

    async def expected_wait(
        self, connection: AsyncConnection, ticket: Ticket, now: datetime
    ) -> timedelta | None:
        """How much longer a ticket of a queue will probably wait; None: who knows."""
        needed = ticket.queue.seats_min - 1
        known = await read_expectation(connection, ticket.queue.value, ticket.account_id, now, needed)
        return expected_wait(ticket, known, now)

    async def seat_of(self, connection: AsyncConnection, account_id: UUID) -> UUID | None:
        """The match in which an account has a live seat."""
        return await rows.seat_of(connection, account_id)

    def refused(
        self, refusal: TicketRefusal, ticket_id: UUID | None, match_id: UUID | None = None
    ) -> Refused:
        """The error of a refusal; its metadata names the ticket and the match, where there are such."""
        return ticket_refused(refusal, ticket_id, match_id=match_id)

    def keep(self, view: TicketView) -> bytes:
        """An answer as it is kept for repeats: of a ticket that waits or was cancelled."""
        return keep(view)

    def kept(self, reply: bytes, account_id: UUID) -> TicketView:
        """The answer that was kept."""
        return kept(reply, account_id)
