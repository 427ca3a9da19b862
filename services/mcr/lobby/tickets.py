"""What players order of the queue of tables: wait, look, stop waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Request
from libs.queueing import tickets as queueing
from libs.queueing.store import read_expectation
from libs.rules.mcr.wall import SEATS
from libs.rules.pairing.tickets import Room, TicketRefusal
from libs.runtime.errors import Refused
from services.mcr.domain.deal.terms import AiLevel
from services.mcr.domain.lobby import Queue, Ticket, TicketView, expected_wait
from services.mcr.lobby.refusals import ticket_refused
from services.mcr.lobby.store import TICKETS
from services.mcr.tables.store import seat_of
from services.mcr.wire.lobby import keep, kept


class Tickets(queueing.Tickets[Ticket]):
    """The tickets of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        bus: Bus,
        randomness: Callable[[int], bytes],
        *,
        valid_for: timedelta,
        fill_after: timedelta,
    ) -> None:
        """Tickets wait for `valid_for`; tables are filled with AI players after `fill_after`."""
        super().__init__("mcr", TICKETS, store, bus, randomness)
        self._valid_for = valid_for
        self._fill_after = fill_after

    async def create(
        self,
        account_id: UUID,
        queue: Queue,
        level: AiLevel,
        request: Request,
        at: datetime,
        *,
        room: Room | None = None,
        valid_for: timedelta | None = None,
    ) -> TicketView:
        """Wait in a queue, or at a private table. A repeat gets the first answer, whatever came of it."""
        until = at + (valid_for or self._valid_for)
        ticket = Ticket(self.new_id(at), account_id, queue, at, until, room=room, level=level)
        return await self.open(ticket, request, at)

    async def expected_wait(
        self, connection: AsyncConnection, ticket: Ticket, now: datetime
    ) -> timedelta | None:
        """How much longer a ticket of the queue will probably wait."""
        known = await read_expectation(connection, ticket.queue, ticket.account_id, now, SEATS - 1)
        return expected_wait(ticket, known, now, self._fill_after)

    async def seat_of(self, connection: AsyncConnection, account_id: UUID) -> UUID | None:
        """The table at which an account sits."""
        return await seat_of(connection, account_id)

    def refused(
        self, refusal: TicketRefusal, ticket_id: UUID | None, match_id: UUID | None = None
    ) -> Refused:
        """The error of a refusal; its metadata names the ticket and the table, where there are such."""
        return ticket_refused(refusal, ticket_id, match_id)

    def keep(self, view: TicketView) -> bytes:
        """An answer as it is kept for repeats: of a ticket that waits or was cancelled."""
        return keep(view)

    def kept(self, reply: bytes, account_id: UUID) -> TicketView:
        """The answer that was kept."""
        return kept(reply, account_id)
