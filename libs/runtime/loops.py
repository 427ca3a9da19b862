"""Work that goes on: each loop runs until it is told to stop, and again after an exception."""

from __future__ import annotations

import asyncio

import structlog

from libs.runtime.passing import is_passing
from libs.runtime.pause import pause
from libs.runtime.service import Loop

BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 5.0
CALM_S = 30.0
"""A loop that ran this long before it failed starts again without the growing pause."""

log = structlog.get_logger()


async def keep_running(loop: Loop, stop: asyncio.Event) -> None:
    """Run the loop until `stop` is set; an exception is logged and restarts it after a growing pause."""
    pause_s = BACKOFF_FIRST_S
    clock = asyncio.get_running_loop()
    while not stop.is_set():
        began_s = clock.time()
        try:
            await loop.run(stop)
        except Exception as error:
            if is_passing(error):
                text = f"{type(error).__name__}: {error}"[:300]
                log.warning("loop.waits", loop=loop.name, pause_s=pause_s, error=text)
            else:
                log.exception("loop.failed", loop=loop.name, pause_s=pause_s)
        else:
            if stop.is_set():
                return
            log.error("loop.ended_early", loop=loop.name, pause_s=pause_s)
        if clock.time() - began_s > CALM_S:
            pause_s = BACKOFF_FIRST_S
        await pause(stop, pause_s)
        pause_s = min(BACKOFF_MAX_S, pause_s * 2)
