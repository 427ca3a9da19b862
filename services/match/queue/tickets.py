"""What players order of the queues: wait, look, stop waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from libs.bus.port import Bus
from libs.bus.topology import queue_subject, ticket_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import EventStore, Repeated, Request, RequestReused, Transaction
from libs.eventstore.postgres.errors import unavailable_is_told
from services.match.domain.queueing import (
    Matched,
    Queue,
    Room,
    Ticket,
    TicketRefusal,
    Waiting,
    cancel,
    expected_wait,
    settle,
)
from services.match.queue import store as rows
from services.match.queue.refusals import ticket_refused
from services.match.refusals import request_id_reused
from services.match.wire.tickets import TicketView, keep, kept

VALID_FOR: Final = timedelta(minutes=5)
TRIES_MAX: Final = 5

log = structlog.get_logger(__name__)


class Tickets:
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
        self._store = store
        self._bus = bus
        self._randomness = randomness
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
        ticket_id = uuid7(at, self._randomness(RANDOM_BYTES))
        expires_at = at + (valid_for or self._valid_for)
        ticket = Ticket(ticket_id, account_id, queue, at, expires_at, room=room)
        for _ in range(TRIES_MAX):
            async with self._store.transaction() as transaction:
                view, is_new = await self.enter(transaction, ticket, request, at)
            if view is not None:
                if is_new:
                    await self.hint(queue_subject("match"), queue.value.encode())
                return view
        raise ticket_refused(TicketRefusal.ALREADY_QUEUED, None)

    async def read(self, account_id: UUID, ticket_id: UUID | None, now: datetime) -> TicketView:
        """A ticket as it stands; without an id the account's waiting one, else its last one."""
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = (
                await rows.latest_of(connection, account_id)
                if ticket_id is None
                else await rows.find(connection, ticket_id)
            )
            if found is None:
                raise ticket_refused(TicketRefusal.NOT_FOUND, ticket_id)
            if found.account_id != account_id:
                raise ticket_refused(TicketRefusal.NOT_YOURS, ticket_id)
            return await self._view(transaction, settle(found, now), now)

    async def cancel(self, account_id: UUID, ticket_id: UUID, request: Request, at: datetime) -> TicketView:
        """Stop waiting. Refused TICKET_MATCHED or TICKET_EXPIRED when it is too late."""
        async with self._store.transaction() as transaction:
            earlier = await self.answered(request)
            if earlier is not None:
                return kept(earlier, account_id)
            found = await rows.find(transaction.connection, ticket_id, lock=True)
            outcome = TicketRefusal.NOT_FOUND if found is None else cancel(found, account_id, at)
            if isinstance(outcome, TicketRefusal):
                in_match = found.standing.match_id if found and isinstance(found.standing, Matched) else None
                raise ticket_refused(outcome, ticket_id, match_id=in_match)
            view = TicketView(outcome)
            repeated = await transaction.keep_reply(request, keep(view), at=at)
            if repeated is not None:
                return kept(_reply(repeated), account_id)
            await rows.cancel_ticket(transaction.connection, ticket_id, at)
        await self.hint(ticket_subject(ticket_id))
        return view

    async def enter(
        self, transaction: Transaction, ticket: Ticket, request: Request, at: datetime
    ) -> tuple[TicketView | None, bool]:
        """The new ticket or the repeated answer; nothing when the ticket in the way went away meanwhile."""
        connection, account_id = transaction.connection, ticket.account_id
        view = await self._view(transaction, ticket, at)
        repeated = await transaction.keep_reply(request, keep(view), at=at)
        if repeated is not None:
            return kept(_reply(repeated), account_id), False
        await transaction.lock(rows.account_lock(account_id))  # a rematch may be about to seat the account
        await rows.expire_of(connection, account_id, at)
        if not await rows.insert_ticket(connection, view.ticket):
            present = await rows.latest_of(connection, account_id)
            if present is not None and isinstance(present.standing, Waiting):
                raise ticket_refused(TicketRefusal.ALREADY_QUEUED, present.ticket_id)
            await transaction.rollback()
            return None, False
        # Asked after the insert: it waited for a matchmaker that was about to seat this account.
        seat = await rows.seat_of(connection, account_id)
        if seat is not None:
            raise ticket_refused(TicketRefusal.ALREADY_SEATED, None, match_id=seat)
        return view, True

    async def _view(self, transaction: Transaction, ticket: Ticket, now: datetime) -> TicketView:
        if not isinstance(ticket.standing, Waiting) or ticket.room is not None:
            return TicketView(ticket)
        known = await rows.read_expectation(transaction.connection, ticket.queue, ticket.account_id, now)
        return TicketView(ticket, expected_wait(ticket, known, now))

    async def answered(self, request: Request) -> bytes | None:
        """The answer that a repeated request got."""
        with unavailable_is_told():
            found = await self._store.find_request(request.caller, request.request_id)
        if found is None:
            return None
        return _reply(found if found.sha256 == request.sha256 else RequestReused())

    async def hint(self, subject: str, data: bytes = b"") -> None:
        """Let those look who wait for news of a subject."""
        try:
            await self._bus.send(subject, data)
        except Exception as error:  # noqa: BLE001 what is committed is answered; others look by themselves
            log.warning("queue.hint_lost", error=f"{type(error).__name__}: {error}")


def _reply(repeated: Repeated | RequestReused) -> bytes:
    if isinstance(repeated, RequestReused) or repeated.reply is None:
        raise request_id_reused()
    return repeated.reply
