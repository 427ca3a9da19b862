"""How late the event loop is: what waits for its turn while something else takes too long."""

from __future__ import annotations

import asyncio
from typing import Final

from libs.telemetry.meter import Meter

EVERY_S: Final = 0.1
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)


async def measure_loop_lag(meter: Meter, stop: asyncio.Event) -> None:
    """Until `stop` is set, ask ten times a second to be woken, and note how much later it happens."""
    lag = meter.histogram(
        "sparrow_event_loop_lag_seconds", "How much later than asked for the event loop wakes.", BOUNDS
    )
    loop = asyncio.get_running_loop()
    while not stop.is_set():
        due = loop.time() + EVERY_S
        await asyncio.sleep(EVERY_S)
        lag.observe(max(0.0, loop.time() - due))
