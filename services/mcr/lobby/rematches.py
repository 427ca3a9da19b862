"""How rematches of tables begin, and who may have one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Transaction
from libs.eventstore.wake import Wake
from libs.queueing import rematches
from libs.queueing.refusals import rematch_refused as already_queued
from libs.rules.pairing.rematch import RematchRefusal
from libs.rules.pairing.tickets import Waiting, settle
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import ticket_name
from services.mcr.domain.lobby import QUEUE_OF, Rematch, TableKind
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.refusals import rematch_refused
from services.mcr.lobby.store import OFFERS, TICKETS, free_of
from services.mcr.refusals import already_seated
from services.mcr.tables.live import inherit
from services.mcr.tables.store import seat_of
from services.mcr.wire.rematches import keep, kept


class Rematches(rematches.Rematches[TableKind]):
    """The rematches of all players."""

    def __init__(
        self,
        store: EventStore,
        beginnings: Beginnings,
        bus: Bus,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
    ) -> None:
        """Begin tables by `beginnings`; the bus only makes it faster."""
        super().__init__(OFFERS, store, bus, randomness, clock, wake)
        self._beginnings = beginnings

    def refused(self, refusal: RematchRefusal, match_id: UUID) -> Refused:
        """The error of a refusal about a table."""
        return rematch_refused(refusal, match_id)

    async def check_free(self, connection: AsyncConnection, account_id: UUID, now: datetime) -> None:
        """Refuse whoever sits or waits elsewhere."""
        table_id = await seat_of(connection, account_id)
        if table_id is not None:
            raise already_seated(table_id)
        latest = await TICKETS.latest_of(connection, account_id)
        if latest is not None and isinstance(settle(latest, now).standing, Waiting):
            raise already_queued(RematchRefusal.ALREADY_QUEUED, ("name", ticket_name(latest.ticket_id)))

    async def take_seats(
        self, connection: AsyncConnection, _next_id: UUID, accounts: Collection[UUID], now: datetime
    ) -> Collection[UUID]:
        """Those of the accounts that are free: locked as they are, the table's beginning seats them."""
        return await free_of(connection, accounts, now)

    async def free_seats(self, _connection: AsyncConnection, _next_id: UUID) -> None:
        """Nobody has been seated yet."""

    async def begin(self, transaction: Transaction, begun: Rematch, next_id: UUID, now: datetime) -> str:
        """Begin the table of those who accepted and are free."""
        await self._beginnings.begin(transaction, {next_id: (begun.kind, begun.accepted)}, now)
        await inherit(transaction.connection, next_id, begun.match_id)
        deals = begun.kind.deals
        return QUEUE_OF[deals].value if deals in QUEUE_OF else f"deals_{deals}"

    def keep(self, rematch: Rematch) -> bytes:
        """An answer as it is kept for repeats."""
        return keep(rematch)

    def kept(self, reply: bytes) -> Rematch:
        """The answer that was kept."""
        return kept(reply)
