"""What the queues show of themselves: scaling and alarms go by how long the first one waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

from libs.eventstore.postgres.database import Database
from libs.queueing.store import oldest_wait
from libs.runtime.pause import pause

LOOK_EVERY_S: Final = 2.0


async def show_waits(database: Database, now: Callable[[], datetime], stop: asyncio.Event) -> None:
    """Look every other second, until `stop`, how long the first of all waiting tickets has waited."""
    wait = database.telemetry.meter.gauge(
        "sparrow_queue_oldest_wait_seconds",
        "How long the first of all waiting tickets has waited.",
        service=database.schema,
    )
    while not stop.is_set():
        async with database.engine.connect() as connection:
            wait.set((await oldest_wait(connection, now())).total_seconds())
        await pause(stop, LOOK_EVERY_S)
