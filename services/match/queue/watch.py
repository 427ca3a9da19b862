"""Following tickets: hints on the bus, and two queries a second per process over all that are watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog

from libs.bus.port import Bus, Message
from libs.eventstore.port import EventStore, StoreUnavailable
from libs.runtime.errors import Refused
from services.match.domain.queueing import Waiting, settle
from services.match.queue import store as rows
from services.match.wire.tickets import TicketView

HEARTBEAT_S: Final = 15.0
LOOK_EVERY_S: Final = 0.5
RETRY_AFTER_MS: Final = 1_000

log = structlog.get_logger(__name__)


class TicketWatch:
    """All watched tickets of one process."""

    def __init__(
        self,
        store: EventStore,
        bus: Bus,
        now: Callable[[], datetime],
        *,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        """Read from the store; the bus only makes it faster."""
        self._store = store
        self._bus = bus
        self._now = now
        self._heartbeat_s = heartbeat_s
        self._watched: dict[UUID, set[asyncio.Event]] = {}
        self._draining = False

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set: listen to matchmakers, and look twice a second at all watched tickets."""
        subscription = await self._bus.subscribe("sparrow.ticket.*", self._on_news)
        try:
            while not stop.is_set():
                try:
                    await self.look()
                except StoreUnavailable as error:
                    log.warning("queue.look_failed", error=str(error))
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), LOOK_EVERY_S)
        finally:
            await subscription.unsubscribe()

    async def look(self) -> None:
        """Wake those whose ticket waits no more: hints may get lost, and nobody tells of an expiry."""
        if not self._watched:
            return
        async with self._store.transaction() as transaction:
            found = await rows.find_all(transaction.connection, list(self._watched))
        now = self._now()
        for ticket in found:
            if not isinstance(settle(ticket, now).standing, Waiting):
                self._wake(ticket.ticket_id)

    async def drain(self) -> None:
        """End every stream, and open none."""
        self._draining = True
        for ticket_id in self._watched:
            self._wake(ticket_id)

    async def follow(
        self, ticket_id: UUID, read: Callable[[], Awaitable[TicketView]]
    ) -> AsyncGenerator[TicketView, None]:
        """The ticket as `read` finds it: now, on news, as a sign of life; it ends when it waits no more.

        It ends with a waiting ticket when this process is told to stop. Raises Refused DRAINING.
        """
        if self._draining:
            raise Refused("DRAINING", "this server is stopping", retry_after_ms=RETRY_AFTER_MS)
        news = asyncio.Event()
        self._watched.setdefault(ticket_id, set()).add(news)
        try:
            while True:
                news.clear()  # before the reading: what comes meanwhile is read again
                view = await read()
                yield view
                if self._draining or not isinstance(view.ticket.standing, Waiting):
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), self._heartbeat_s)
        finally:
            self._watched[ticket_id].discard(news)
            if not self._watched[ticket_id]:
                del self._watched[ticket_id]

    async def _on_news(self, message: Message) -> None:
        with suppress(ValueError):
            self._wake(UUID(message.subject.rpartition(".")[2]))

    def _wake(self, ticket_id: UUID) -> None:
        for news in self._watched.get(ticket_id, ()):
            news.set()
