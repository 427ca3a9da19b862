"""One watched attempt and its readers: bounded queues, filled in the order of the stream."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.runtime.errors import Refused
from services.match.domain.evolve import initial
from services.match.domain.following import Change, End
from services.match.domain.state import Ended, State

QUEUE_MAX: Final = 64
"""Changes that wait for one reader; a reader that falls further behind has to come back with its token."""
RETRY_AFTER_MS: Final = 1_000


class Watcher:
    """One reader: a bounded queue. What overflows it is forgotten, since the reader can resume."""

    def __init__(self, session_id: UUID, opened_at: datetime) -> None:
        """Begin with nothing to read."""
        self.session_id = session_id
        self.opened_at = opened_at
        self._queue: deque[Change | End] = deque()
        self._filled = asyncio.Event()
        self._slow = False

    def put(self, item: Change | End) -> None:
        """Hand the reader something, unless it is too slow already."""
        if len(self._queue) >= QUEUE_MAX:
            self._queue.clear()
            self._slow = True
        if not self._slow:
            self._queue.append(item)
        self._filled.set()

    async def get(self, timeout_s: float) -> Change | End | None:
        """The next item; None after a silence. Raises Refused SLOW_READER once the queue has overflowed."""
        if not self._queue and not self._slow:
            self._filled.clear()
            try:
                await asyncio.wait_for(self._filled.wait(), timeout_s)
            except TimeoutError:
                return None
        if self._slow:
            message = f"more than {QUEUE_MAX} changes waited to be read: resume with the last token"
            raise Refused("SLOW_READER", message, retry_after_ms=RETRY_AFTER_MS)
        return self._queue.popleft()


class Topic:
    """One watched attempt."""

    def __init__(self, attempt_id: UUID) -> None:
        """Begin before the first event."""
        self.attempt_id = attempt_id
        self.version = 0
        self.state: State = initial()
        self.watchers: set[Watcher] = set()
        self.followers = 0  # streams that need it, those that have not begun to read included
        self.reading = asyncio.Lock()
        self.waiting: set[asyncio.Task[None]] = set()

    def move(self, change: Change) -> None:
        """Take one command's change and hand it on."""
        self.version, self.state = change.version, change.state
        for watcher in self.watchers:
            watcher.put(change)
        if isinstance(change.state, Ended):
            self.end("MATCH_ENDED")

    def end(self, reason: str) -> None:
        """Tell all watchers why nothing more comes."""
        self._end(list(self.watchers), reason)

    def take_over(self, session_id: UUID, at: datetime) -> None:
        """End the streams of other sessions that were open when this one took the seat."""
        others = [w for w in self.watchers if w.session_id != session_id and w.opened_at <= at]
        self._end(others, "SEAT_TAKEN_OVER")

    def _end(self, watchers: list[Watcher], reason: str) -> None:
        for watcher in watchers:
            watcher.put(End(self.version, reason))
            self.watchers.discard(watcher)
