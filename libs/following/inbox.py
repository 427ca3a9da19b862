"""What waits for one reader: bounded, and forgotten once it overflows, since the reader can resume."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Generic, TypeVar

from libs.runtime.errors import Refused

T = TypeVar("T")

QUEUE_MAX: Final = 64
"""Items that wait for one reader; a reader that falls further behind has to come back with its token."""
RETRY_AFTER_MS: Final = 1_000


class Inbox(Generic[T]):
    """A bounded queue of one reader."""

    def __init__(self) -> None:
        """Begin with nothing to read."""
        self._queue: deque[T] = deque()
        self._filled = asyncio.Event()
        self._slow = False

    def put(self, item: T) -> None:
        """Hand the reader something, unless it is too slow already."""
        if len(self._queue) >= QUEUE_MAX:
            self._queue.clear()
            self._slow = True
        if not self._slow:
            self._queue.append(item)
        self._filled.set()

    async def get(self, timeout_s: float) -> T | None:
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
