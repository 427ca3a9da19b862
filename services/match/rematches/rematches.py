"""What players order of a rematch: yes, no; and how it begins.

An answer, the seats, the new match and what became of the offer are committed together or not at all. The
timer of an offer stands from the first yes on: it begins with those who accepted, when others said nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

import structlog

from libs.bus.port import Bus
from libs.bus.topology import rematch_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore, Repeated, Request, RequestReused, Transaction
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.timers import set_timer
from libs.eventstore.wake import Wake
from libs.runtime.clock import Clock
from libs.runtime.names import match_name, ticket_name
from services.match.domain import rematch as domain
from services.match.domain.queueing import GameKind, Waiting
from services.match.domain.queueing import settle as settle_ticket
from services.match.domain.rematch import Answer, Outcome, Rematch, RematchRefusal
from services.match.queue import store as queue_rows
from services.match.refusals import request_id_reused
from services.match.rematches import store as rows
from services.match.rematches.refusals import rematch_refused
from services.match.watching import live
from services.match.wire.rematches import keep, kept

REMATCH_TIMER: Final = "rematch"
GRACE: Final = timedelta(milliseconds=50)
"""How long the timer waits after the end of the offer: an answer received in time may be under way."""

BeginGame: TypeAlias = Callable[[Transaction, GameKind, UUID, tuple[UUID, ...], datetime], Awaitable[None]]
"""Begins a game of a kind, of this id, between these accounts, inside the transaction."""

log = structlog.get_logger(__name__)


class Rematches:
    """The rematches of all players. Every method but `fire` raises Refused."""

    def __init__(
        self,
        store: EventStore,
        begin: BeginGame,
        bus: Bus,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
    ) -> None:
        """Begin games with `begin`; the bus only makes it faster."""
        self._store = store
        self._begin = begin
        self._bus = bus
        self._randomness = randomness
        self._clock = clock
        self._wake = wake

    async def read(self, account_id: UUID, match_id: UUID, now: datetime) -> Rematch:
        """The offer of a match that the caller has played, as it stands."""
        async with self._store.transaction() as transaction:
            found = await rows.find(transaction.connection, match_id)
        if found is None:
            raise rematch_refused(RematchRefusal.NOT_FOUND, match_id)
        if account_id not in found.accounts:
            raise rematch_refused(RematchRefusal.NOT_YOURS, match_id)
        return domain.settle(found, now)

    async def answer(
        self, account_id: UUID, match_id: UUID, said: Answer, request: Request, at: datetime
    ) -> Rematch:
        """Say yes or no; the last answer that was awaited begins the match. A repeat gets the first reply."""
        earlier = await self._answered(request)
        if earlier is not None:
            return kept(earlier)
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = await rows.find(connection, match_id, lock=True)
            refusal = RematchRefusal.NOT_FOUND
            answered = refusal if found is None else domain.answer(found, account_id, said, at)
            if isinstance(answered, RematchRefusal):
                earlier = await self._answered(request)  # the same answer, given while this one waited
                if earlier is not None:
                    return kept(earlier)
                raise rematch_refused(answered, match_id)
            if said is Answer.ACCEPTED:
                await self._check_free(transaction, account_id, match_id, at)
                await set_timer(connection, match_id, REMATCH_TIMER, answered.expires_at + GRACE)
            if domain.is_due(answered, at):
                answered = await self._begun(transaction, answered, at)
            repeated = await transaction.keep_reply(request, keep(answered), at=at)
            if repeated is not None:
                await transaction.rollback()
                return kept(_reply(repeated))
            await rows.save(connection, answered)
            fault("rematch.rows_in")
        await self._tell(answered)
        return answered

    async def fire(self, match_id: UUID, _due: datetime) -> datetime | None:
        """Begin with those who accepted, where the time of an offer is over; nothing is left to do then."""
        now = self._clock.now()
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = await rows.find(connection, match_id, lock=True)
            if found is None or not domain.is_due(found, now):
                return None
            begun = await self._begun(transaction, found, now)
            await rows.save(connection, begun)
            fault("rematch.rows_in")
        await self._tell(begun)
        return None

    async def _begun(self, transaction: Transaction, rematch: Rematch, now: datetime) -> Rematch:
        """Begin a rematch that is due, with those who are free."""
        next_id = uuid7(now, self._randomness(RANDOM_BYTES))
        connection = transaction.connection
        for account_id in sorted(rematch.accepted):
            await transaction.lock(queue_rows.account_lock(account_id))
        free = await rows.take_seats(connection, next_id, rematch.accepted, now)
        begun = domain.seated(rematch, free, next_id)
        if begun.outcome is not Outcome.BEGUN:
            await queue_rows.free_seats(connection, next_id)
            return begun
        accounts = begun.accepted
        await self._begin(transaction, begun.kind, next_id, accounts, now)
        await live.inherit(connection, next_id, rematch.match_id)
        await queue_rows.enter_opponents(connection, begun.kind.queue, {next_id: accounts})
        fault("rematch.begun")
        return begun

    async def _check_free(
        self, transaction: Transaction, account_id: UUID, match_id: UUID, now: datetime
    ) -> None:
        """Refuse whoever plays or waits elsewhere."""
        seat = await queue_rows.seat_of(transaction.connection, account_id)
        if seat is not None:
            in_the_way = ("match", match_name(seat))
            raise rematch_refused(RematchRefusal.ALREADY_SEATED, match_id, in_the_way=in_the_way)
        latest = await queue_rows.latest_of(transaction.connection, account_id)
        if latest is not None and isinstance(settle_ticket(latest, now).standing, Waiting):
            in_the_way = ("name", ticket_name(latest.ticket_id))
            raise rematch_refused(RematchRefusal.ALREADY_QUEUED, match_id, in_the_way=in_the_way)

    async def _answered(self, request: Request) -> bytes | None:
        """The reply that a repeated request got."""
        with unavailable_is_told():
            found = await self._store.find_request(request.caller, request.request_id)
        if found is None:
            return None
        return _reply(found if found.sha256 == request.sha256 else RequestReused())

    async def _tell(self, rematch: Rematch) -> None:
        """Let those look who wait for news: what is committed is found anyway."""
        try:
            await self._bus.send(rematch_subject(rematch.match_id), b"")
        except Exception as error:  # noqa: BLE001 what is committed is answered; others look by themselves
            log.warning("rematch.hint_lost", error=f"{type(error).__name__}: {error}")
        if rematch.outcome is Outcome.BEGUN:
            await self._wake.nudge()


def _reply(repeated: Repeated | RequestReused) -> bytes:
    if isinstance(repeated, RequestReused) or repeated.reply is None:
        raise request_id_reused()
    return repeated.reply
