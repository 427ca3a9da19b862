"""Work of native code that releases the interpreter lock: in threads of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from libs.runtime.errors import Refused

T = TypeVar("T")


class ThreadedWork:
    """A few threads that start with the first piece of work. The twin of `SpawnedPool` for native work."""

    def __init__(self, threads: int, waiting_max: int = 64) -> None:
        self._waiting_max = waiting_max
        self._running = 0
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="native")

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work` returns. Raises Refused RATE_LIMIT when too much waits."""
        if self._running >= self._waiting_max:
            raise Refused("RATE_LIMIT", "too much work is waiting: call again", retry_after_ms=1_000)
        self._running += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)
        finally:
            self._running -= 1

    async def close(self) -> None:
        """Drop what waits; a piece that runs goes on to its end, which its node budget bounds."""
        self._executor.shutdown(wait=False, cancel_futures=True)
