"""Following rows: hints on the bus, and two looks a second per process over all that are watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeVar
from uuid import UUID

import structlog

from libs.bus.port import Bus, Message
from libs.eventstore.port import StoreUnavailable
from libs.runtime.errors import Refused

HEARTBEAT_S: Final = 15.0
LOOK_EVERY_S: Final = 0.5
RETRY_AFTER_MS: Final = 1_000

V = TypeVar("V")

log = structlog.get_logger(__name__)


class RowWatch:
    """All watched rows of one kind in one process."""

    def __init__(
        self,
        bus: Bus,
        subjects: str,
        changed: Callable[[Sequence[UUID]], Awaitable[Iterable[UUID]]],
        *,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        """Hear of rows on `subjects`, whose last token is the row's id; `changed` says which have news.

        Hints may get lost, and nobody tells that time has passed: `changed` is asked about all of them.
        """
        self._bus = bus
        self._subjects = subjects
        self._changed = changed
        self._heartbeat_s = heartbeat_s
        self._watched: dict[UUID, set[asyncio.Event]] = {}
        self._draining = False

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set: listen to other processes, and look twice a second at all watched rows."""
        subscription = await self._bus.subscribe(self._subjects, self._on_news)
        try:
            while not stop.is_set():
                try:
                    await self.look()
                except StoreUnavailable as error:
                    log.warning("watch.look_failed", error=str(error))
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), LOOK_EVERY_S)
        finally:
            await subscription.unsubscribe()

    async def look(self) -> None:
        """Wake those whose row has news."""
        if self._watched:
            for row_id in await self._changed(list(self._watched)):
                self._wake(row_id)

    async def drain(self) -> None:
        """End every stream, and open none."""
        self._draining = True
        for row_id in self._watched:
            self._wake(row_id)

    async def follow(
        self, row_id: UUID, read: Callable[[], Awaitable[V]], is_over: Callable[[V], bool]
    ) -> AsyncGenerator[V, None]:
        """The row as `read` finds it: now, on news, as a sign of life; it ends with the first that is over.

        It ends with one that is not over when this process is told to stop. Raises Refused DRAINING.
        """
        if self._draining:
            raise Refused("DRAINING", "this server is stopping", retry_after_ms=RETRY_AFTER_MS)
        news = asyncio.Event()
        self._watched.setdefault(row_id, set()).add(news)
        try:
            while True:
                news.clear()  # before the reading: what comes meanwhile is read again
                view = await read()
                yield view
                if self._draining or is_over(view):
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), self._heartbeat_s)
        finally:
            self._watched[row_id].discard(news)
            if not self._watched[row_id]:
                del self._watched[row_id]

    async def _on_news(self, message: Message) -> None:
        with suppress(ValueError):
            self._wake(UUID(message.subject.rpartition(".")[2]))

    def _wake(self, row_id: UUID) -> None:
        for news in self._watched.get(row_id, ()):
            news.set()
