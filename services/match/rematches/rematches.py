"""How rematches of matches begin, and who may have one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Transaction
from libs.eventstore.wake import Wake
from libs.queueing import rematches
from libs.queueing.refusals import rematch_refused
from libs.rules.pairing.rematch import RematchRefusal
from libs.rules.pairing.tickets import Waiting, settle
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import match_name, ticket_name
from services.match.domain.queueing import GameKind, Rematch
from services.match.queue import store as queue_rows
from services.match.rematches import store as rows
from services.match.watching import live
from services.match.wire.rematches import keep, kept

BeginGame: TypeAlias = Callable[[Transaction, GameKind, UUID, tuple[UUID, ...], datetime], Awaitable[None]]
"""Begins a game of a kind, of this id, between these accounts, inside the transaction."""


class Rematches(rematches.Rematches[GameKind]):
    """The rematches of all players."""

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
        super().__init__(rows.OFFERS, store, bus, randomness, clock, wake)
        self._begin = begin

    def refused(self, refusal: RematchRefusal, match_id: UUID) -> Refused:
        """The error of a refusal about a match."""
        return rematch_refused(refusal, ("name", match_name(match_id)))

    async def check_free(self, connection: AsyncConnection, account_id: UUID, now: datetime) -> None:
        """Refuse whoever plays or waits elsewhere."""
        seat = await queue_rows.seat_of(connection, account_id)
        if seat is not None:
            raise rematch_refused(RematchRefusal.ALREADY_SEATED, ("match", match_name(seat)))
        latest = await queue_rows.TICKETS.latest_of(connection, account_id)
        if latest is not None and isinstance(settle(latest, now).standing, Waiting):
            about = ("name", ticket_name(latest.ticket_id))
            raise rematch_refused(RematchRefusal.ALREADY_QUEUED, about)

    async def take_seats(
        self, connection: AsyncConnection, next_id: UUID, accounts: Collection[UUID], now: datetime
    ) -> Collection[UUID]:
        """Seat those of the accounts that neither play nor wait; return them."""
        return await rows.take_seats(connection, next_id, accounts, now)

    async def free_seats(self, connection: AsyncConnection, next_id: UUID) -> None:
        """Take the seats back: too few were free."""
        await queue_rows.free_seats(connection, next_id)

    async def begin(self, transaction: Transaction, begun: Rematch, next_id: UUID, now: datetime) -> str:
        """Begin the match of those who accepted and are seated."""
        await self._begin(transaction, begun.kind, next_id, begun.accepted, now)
        await live.inherit(transaction.connection, next_id, begun.match_id)
        return begun.kind.queue.value

    def keep(self, rematch: Rematch) -> bytes:
        """An answer as it is kept for repeats."""
        return keep(rematch)

    def kept(self, reply: bytes) -> Rematch:
        """The answer that was kept."""
        return kept(reply)
