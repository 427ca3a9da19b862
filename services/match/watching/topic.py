"""One watched game and its readers: bounded queues, filled in the order of the stream."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

from libs.runtime.errors import Refused
from services.match.domain.following import Change, End, Kind

S = TypeVar("S")
E = TypeVar("E")

QUEUE_MAX: Final = 64
"""Changes that wait for one reader; a reader that falls further behind has to come back with its token."""
RETRY_AFTER_MS: Final = 1_000


class Watcher(Generic[S, E]):
    """One reader: a bounded queue. What overflows it is forgotten, since the reader can resume."""

    def __init__(self, account_id: UUID, session_id: UUID, opened_at: datetime) -> None:
        """Begin with nothing to read."""
        self.account_id = account_id
        self.session_id = session_id
        self.opened_at = opened_at
        self._queue: deque[Change[S, E] | End] = deque()
        self._filled = asyncio.Event()
        self._slow = False

    def put(self, item: Change[S, E] | End) -> None:
        """Hand the reader something, unless it is too slow already."""
        if len(self._queue) >= QUEUE_MAX:
            self._queue.clear()
            self._slow = True
        if not self._slow:
            self._queue.append(item)
        self._filled.set()

    async def get(self, timeout_s: float) -> Change[S, E] | End | None:
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


class Topic(Generic[S, E]):
    """One watched game."""

    def __init__(self, stream_id: UUID, kind: Kind[S, E]) -> None:
        """Begin before the first event."""
        self.stream_id = stream_id
        self.version = 0
        self.state: S = kind.initial()
        self.watchers: set[Watcher[S, E]] = set()
        self._kind = kind
        self.followers = 0  # streams that need it, those that have not begun to read included
        self.reading = asyncio.Lock()
        self.waiting: set[asyncio.Task[None]] = set()

    def move(self, change: Change[S, E]) -> None:
        """Take one command's change and hand it on."""
        self.version, self.state = change.version, change.state
        for watcher in self.watchers:
            watcher.put(change)
        if self._kind.is_over(change.state):
            self.end("MATCH_ENDED")

    def end(self, reason: str) -> None:
        """Tell all watchers why nothing more comes."""
        self._end(list(self.watchers), reason)

    def take_over(self, account_id: UUID, session_id: UUID, at: datetime) -> None:
        """End the streams of the account's other sessions that were open when this one took the seat."""
        own = [watcher for watcher in self.watchers if watcher.account_id == account_id]
        others = [w for w in own if w.session_id != session_id and w.opened_at <= at]
        self._end(others, "SEAT_TAKEN_OVER")

    def is_taken_from(self, watcher: Watcher[S, E]) -> bool:
        """Whether another session of the account took the seat after this one began."""
        return any(
            other.account_id == watcher.account_id
            and other.session_id != watcher.session_id
            and other.opened_at > watcher.opened_at
            for other in self.watchers
        )

    def _end(self, watchers: list[Watcher[S, E]], reason: str) -> None:
        for watcher in watchers:
            watcher.put(End(self.version, reason))
            self.watchers.discard(watcher)
