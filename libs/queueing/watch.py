"""Following tickets until they wait no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any
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

    async def follow_ticket(
        self, ticket_id: UUID, read: Callable[[], Awaitable[TicketView[T]]]
    ) -> AsyncGenerator[TicketView[T] | str, None]:
        """The ticket as `read` finds it, until it waits no more; last the reason. Raises Refused DRAINING."""
        reason = "DRAINING"
        async with aclosing(self.follow(ticket_id, read, _is_over)) as views:
            async for view in views:
                if _is_over(view):
                    reason = type(view.ticket.standing).__name__.upper()
                yield view
        yield reason

    async def _ended(self, ticket_ids: Sequence[UUID]) -> list[UUID]:
        """Those that wait no more: nobody tells of an expiry."""
        async with self._store.transaction() as transaction:
            return await rows.ended_of(transaction.connection, ticket_ids, self._now())


def _is_over(view: TicketView[Any]) -> bool:
    return not isinstance(view.ticket.standing, Waiting)
