"""Following tickets until they wait no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import datetime
from uuid import UUID

from libs.bus.port import Bus
from libs.eventstore.port import EventStore
from libs.following.rows import HEARTBEAT_S, RowWatch
from libs.queueing import store as rows
from libs.rules.pairing.tickets import T, TicketView, Waiting


class TicketWatch(RowWatch):
    """All watched tickets of a service in one process."""

    def __init__(
        self,
        store: EventStore,
        bus: Bus,
        now: Callable[[], datetime],
        *,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        """Read from the store; the bus only makes it faster."""
        super().__init__(bus, "sparrow.ticket.*", self._ended, heartbeat_s=heartbeat_s)
        self._store = store
        self._now = now

    def follow_ticket(
        self, ticket_id: UUID, read: Callable[[], Awaitable[TicketView[T]]]
    ) -> AsyncGenerator[TicketView[T], None]:
        """The ticket as `read` finds it, until it waits no more. Raises Refused DRAINING."""
        return self.follow(ticket_id, read, lambda view: not isinstance(view.ticket.standing, Waiting))

    async def _ended(self, ticket_ids: Sequence[UUID]) -> list[UUID]:
        """Those that wait no more: nobody tells of an expiry."""
        async with self._store.transaction() as transaction:
            return await rows.ended_of(transaction.connection, ticket_ids, self._now())
