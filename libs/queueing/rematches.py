"""What players order of a rematch: yes, no; and how it begins.

An answer, the seats, the new game and what became of the offer are committed together or not at all. The
timer of an offer stands from the first yes on: it begins with those who accepted, when others said nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Final, Generic
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.bus.topology import rematch_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore, Request, Transaction
from libs.eventstore.timers import Fire, set_timer
from libs.eventstore.wake import Wake
from libs.queueing import store as queue_rows
from libs.queueing.hints import hint
from libs.queueing.rematch_store import RematchRows, save
from libs.queueing.replies import answered, reply_of
from libs.rules.pairing import rematch as domain
from libs.rules.pairing.rematch import Answer, K, Outcome, Rematch, RematchRefusal
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused

REMATCH_TIMER: Final = "rematch"
GRACE: Final = timedelta(milliseconds=50)
"""How long the timer waits after the end of the offer: an answer received in time may be under way."""


class Rematches(ABC, Generic[K]):
    """The rematches of all players of a service. Every method but `fire` raises Refused."""

    def __init__(
        self,
        offers: RematchRows[K],
        store: EventStore,
        bus: Bus,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
    ) -> None:
        """The bus only makes it faster."""
        self._offers = offers
        self._store = store
        self._bus = bus
        self._randomness = randomness
        self._clock = clock
        self._wake = wake

    @abstractmethod
    def refused(self, refusal: RematchRefusal, match_id: UUID) -> Refused:
        """The error of a refusal about a game."""

    @abstractmethod
    async def check_free(self, connection: AsyncConnection, account_id: UUID, now: datetime) -> None:
        """Refuse whoever plays or waits elsewhere."""

    @abstractmethod
    async def take_seats(
        self, connection: AsyncConnection, next_id: UUID, accounts: Collection[UUID], now: datetime
    ) -> Collection[UUID]:
        """Seat those of the accounts, which are locked, that neither play nor wait; return them."""

    @abstractmethod
    async def free_seats(self, connection: AsyncConnection, next_id: UUID) -> None:
        """Take the seats back: too few were free."""

    @abstractmethod
    async def begin(self, transaction: Transaction, begun: Rematch[K], next_id: UUID, now: datetime) -> str:
        """Begin the game of those who accepted and are seated; return its queue."""

    @abstractmethod
    def keep(self, rematch: Rematch[K]) -> bytes:
        """An answer as it is kept for repeats."""

    @abstractmethod
    def kept(self, reply: bytes) -> Rematch[K]:
        """The answer that was kept."""

    async def find(
        self, connection: AsyncConnection, match_id: UUID, *, lock: bool = False
    ) -> Rematch[K] | None:
        """The offer of a game; with `lock` nobody else changes it until the transaction ends."""
        return await self._offers.find(connection, match_id, lock=lock)

    async def read(self, account_id: UUID, match_id: UUID, now: datetime) -> Rematch[K]:
        """The offer of a game that the caller has played, as it stands."""
        async with self._store.transaction() as transaction:
            found = await self.find(transaction.connection, match_id)
        if found is None:
            raise self.refused(RematchRefusal.NOT_FOUND, match_id)
        if account_id not in found.accounts:
            raise self.refused(RematchRefusal.NOT_YOURS, match_id)
        return domain.settle(found, now)

    async def answer(
        self, account_id: UUID, match_id: UUID, said: Answer, request: Request, at: datetime
    ) -> Rematch[K]:
        """Say yes or no; the last answer that was awaited begins the game. A repeat gets the first reply."""
        earlier = await answered(self._store, request)
        if earlier is not None:
            return self.kept(earlier)
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = await self.find(connection, match_id, lock=True)
            refusal = RematchRefusal.NOT_FOUND
            after = refusal if found is None else domain.answer(found, account_id, said, at)
            if isinstance(after, RematchRefusal):
                earlier = await answered(self._store, request)  # the same answer, given while this one waited
                if earlier is not None:
                    return self.kept(earlier)
                raise self.refused(after, match_id)
            if said is Answer.ACCEPTED:
                await self.check_free(connection, account_id, at)
                await set_timer(connection, match_id, REMATCH_TIMER, after.expires_at + GRACE)
            if domain.is_due(after, at):
                after = await self._begun(transaction, after, at)
            repeated = await transaction.keep_reply(request, self.keep(after), at=at)
            if repeated is not None:
                await transaction.rollback()
                return self.kept(reply_of(repeated))
            await save(connection, after)
            fault("rematch.rows_in")
        await self._tell(after)
        return after

    async def fire(self, match_id: UUID, _kind: str, _due: datetime) -> datetime | None:
        """Begin with those who accepted, where the time of an offer is over; nothing is left to do then."""
        now = self._clock.now()
        async with self._store.transaction() as transaction:
            connection = transaction.connection
            found = await self._offers.find(connection, match_id, lock=True)
            if found is None or not domain.is_due(found, now):
                return None
            begun = await self._begun(transaction, found, now)
            await save(connection, begun)
            fault("rematch.rows_in")
        await self._tell(begun)
        return None

    def or_else(self, fire: Fire) -> Fire:
        """What fires timers of rematches itself, and every other one by `fire`."""

        async def either(stream_id: UUID, kind: str, due: datetime) -> datetime | None:
            if kind == REMATCH_TIMER:
                return await self.fire(stream_id, kind, due)
            return await fire(stream_id, kind, due)

        return either

    async def _begun(self, transaction: Transaction, rematch: Rematch[K], now: datetime) -> Rematch[K]:
        """Begin a rematch that is due, with those who are free."""
        next_id = uuid7(now, self._randomness(RANDOM_BYTES))
        connection = transaction.connection
        await queue_rows.lock_accounts(connection, rematch.accepted)
        free = await self.take_seats(connection, next_id, rematch.accepted, now)
        begun = domain.seated(rematch, free, next_id)
        if begun.outcome is not Outcome.BEGUN:
            await self.free_seats(connection, next_id)
            return begun
        queue = await self.begin(transaction, begun, next_id, now)
        await queue_rows.enter_opponents(connection, queue, {next_id: begun.accepted})
        fault("rematch.begun")
        return begun

    async def _tell(self, rematch: Rematch[K]) -> None:
        """Let those look who wait for news: what is committed is found anyway."""
        await hint(self._bus, rematch_subject(rematch.match_id))
        if rematch.outcome is Outcome.BEGUN:
            await self._wake.nudge()
