"""When a polling loop looks again: at once when nudged, often while there is work, seldom otherwise.

Nudges that come one after the other are answered together: between two looks lies at least the busy interval,
so that a loop under load takes more at a time instead of looking more often.
"""

from __future__ import annotations

import asyncio

BUSY_MS = 20
IDLE_MS = 250
BUSY_FOR_MS = 500


class Pace:
    """The pulse of one loop. Nudges only save latency: without any, work is found within `idle_ms`."""

    def __init__(self, busy_ms: int = BUSY_MS, idle_ms: int = IDLE_MS) -> None:
        """Begin idle."""
        self._busy_ms, self._idle_ms = busy_ms, idle_ms
        self._nudged = asyncio.Event()
        self._busy_until = 0.0
        self._looked_at = float("-inf")

    def nudge(self) -> None:
        """Say that there is work, or soon will be."""
        self._nudged.set()

    async def wait(self, *, worked: bool) -> None:
        """Wait until it is time to look again. `worked`: the last look found something."""
        clock = asyncio.get_running_loop()
        now = clock.time()
        if worked or self._nudged.is_set():
            self._busy_until = now + BUSY_FOR_MS / 1000
        wait_ms = self._busy_ms if now < self._busy_until else self._idle_ms
        try:
            async with asyncio.timeout(wait_ms / 1000):
                await self._nudged.wait()
        except TimeoutError:
            self._looked_at = clock.time()
            return
        early_s = self._looked_at + self._busy_ms / 1000 - clock.time()
        if early_s > 0:
            await asyncio.sleep(early_s)
        self._looked_at = clock.time()
        self._busy_until = self._looked_at + BUSY_FOR_MS / 1000
        self._nudged.clear()
