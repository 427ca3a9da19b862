"""What players order of the queues of a service: wait, look, stop waiting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Generic
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.bus.topology import queue_subject, ticket_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import EventStore, Request, Transaction
from libs.queueing import store as rows
from libs.queueing.hints import hint
from libs.queueing.replies import answered, reply_of
from libs.queueing.store import TicketRows
from libs.rules.pairing.tickets import Matched, T, TicketRefusal, TicketView, Waiting, cancel, settle
from libs.runtime.errors import Refused

TRIES_MAX: Final = 5


class Tickets(ABC, Generic[T]):
    """The tickets of all players of a service. Every method raises Refused."""

    def __init__(
        self,
        service: str,
        tickets: TicketRows[T],
        store: EventStore,
        bus: Bus,
        randomness: Callable[[int], bytes],
    ) -> None:
        """The bus only makes it faster."""
        self._service = service
        self._tickets = tickets
        self._store = store
        self._bus = bus
        self._randomness = randomness

    @abstractmethod
    async def expected_wait(self, connection: AsyncConnection, ticket: T, now: datetime) -> timedelta | None:
        """How much longer a ticket of a queue will probably wait; None: who knows."""

    @abstractmethod
    async def seat_of(self, connection: AsyncConnection, account_id: UUID) -> UUID | None:
        """The game in which an account has a live seat."""

    @abstractmethod
    def refused(
        self, refusal: TicketRefusal, ticket_id: UUID | None, match_id: UUID | None = None
    ) -> Refused:
        """The error of a refusal; its metadata names the ticket and the game, where there are such."""

    @abstractmethod
    def keep(self, view: TicketView[T]) -> bytes:
        """An answer as it is kept for repeats: of a ticket that waits or was cancelled."""

    @abstractmethod
    def kept(self, reply: bytes, account_id: UUID) -> TicketView[T]:
        """The answer that was kept."""

    def new_id(self, at: datetime) -> UUID:
        """The id of a new ticket or game."""
        return uuid7(at, self._randomness(RANDOM_BYTES))

    async def open(self, ticket: T, request: Request, at: datetime) -> TicketView[T]:
        """Wait with a new ticket. A repeat gets the first answer, whatever came of it since."""
        for _ in range(TRIES_MAX):
            async with self._store.transaction() as transaction:
                view, is_new = await self.enter(transaction, ticket, request, at)
            if view is not None:
                if is_new:
                    await hint(self._bus, queue_subject(self._service), ticket.queue.value.encode())
                return view
        raise self.refused(TicketRefusal.ALREADY_QUEUED, None)

    async def read(self, account_id: UUID, ticket_id: UUID | None, now: datetime) -> TicketView[T]:
        """A ticket as it stands; without an id the account's waiting one, else its last one."""
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = (
                await self._tickets.latest_of(connection, account_id)
                if ticket_id is None
                else await self._tickets.find(connection, ticket_id)
            )
            if found is None:
                raise self.refused(TicketRefusal.NOT_FOUND, ticket_id)
            if found.account_id != account_id:
                raise self.refused(TicketRefusal.NOT_YOURS, ticket_id)
            return await self._view(connection, settle(found, now), now)

    async def cancel(
        self, account_id: UUID, ticket_id: UUID, request: Request, at: datetime
    ) -> TicketView[T]:
        """Stop waiting. Refused TICKET_MATCHED or TICKET_EXPIRED when it is too late."""
        async with self._store.transaction() as transaction:
            earlier = await self.answered(request)
            if earlier is not None:
                return self.kept(earlier, account_id)
            found = await self._tickets.find(transaction.connection, ticket_id, lock=True)
            outcome = TicketRefusal.NOT_FOUND if found is None else cancel(found, account_id, at)
            if isinstance(outcome, TicketRefusal):
                standing = None if found is None else found.standing
                match_id = standing.match_id if isinstance(standing, Matched) else None
                raise self.refused(outcome, ticket_id, match_id)
            view = TicketView(outcome)
            repeated = await transaction.keep_reply(request, self.keep(view), at=at)
            if repeated is not None:
                return self.kept(reply_of(repeated), account_id)
            await rows.cancel_ticket(transaction.connection, ticket_id, at)
        await self.tell(ticket_id)
        return view

    async def enter(
        self, transaction: Transaction, ticket: T, request: Request, at: datetime
    ) -> tuple[TicketView[T] | None, bool]:
        """The new ticket or the repeated answer; nothing when the ticket in the way went away meanwhile."""
        connection, account_id = transaction.connection, ticket.account_id
        view = await self._view(connection, ticket, at)
        repeated = await transaction.keep_reply(request, self.keep(view), at=at)
        if repeated is not None:
            return self.kept(reply_of(repeated), account_id), False
        # A rematch may be about to seat the account.
        await transaction.lock(rows.account_lock(account_id))
        await rows.expire_of(connection, account_id, at)
        if not await self._tickets.insert(connection, view.ticket):
            present = await self._tickets.latest_of(connection, account_id)
            if present is not None and isinstance(present.standing, Waiting):
                raise self.refused(TicketRefusal.ALREADY_QUEUED, present.ticket_id)
            await transaction.rollback()
            return None, False
        # Asked after the insert: it waited for a matchmaker that was about to seat this account.
        seat = await self.seat_of(connection, account_id)
        if seat is not None:
            raise self.refused(TicketRefusal.ALREADY_SEATED, None, seat)
        return view, True

    async def _view(self, connection: AsyncConnection, ticket: T, now: datetime) -> TicketView[T]:
        if not isinstance(ticket.standing, Waiting) or ticket.room is not None:
            return TicketView(ticket)
        return TicketView(ticket, await self.expected_wait(connection, ticket, now))

    async def answered(self, request: Request) -> bytes | None:
        """The answer that a repeated request got."""
        return await answered(self._store, request)

    async def tell(self, ticket_id: UUID) -> None:
        """Let those look who wait for news of a ticket."""
        await hint(self._bus, ticket_subject(ticket_id))
