"""A process that fires timers until it is told to end: `… <url>`. A firing appends an event to its stream."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import datetime
from uuid import UUID

from libs.eventstore.port import StreamAppend
from libs.eventstore.postgres.database import Database
from libs.eventstore.timers import Timers, timer_request
from libs.runtime.systemclock import SystemClock
from tests.support.store_contract import CALLER, fact


async def main(url: str) -> None:
    """Fire."""
    database, clock, stop = await Database.open(url, "match"), SystemClock(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)

    async def fire(stream_id: UUID, kind: str, due: datetime) -> None:
        version = (await database.store.heads([stream_id])).get(stream_id, 0)
        await database.store.append(
            [StreamAppend(stream_id, version, (fact(kind, at=due),))],
            recorded_at=clock.now(),
            caller=CALLER,
            request=timer_request(CALLER, stream_id, kind, due),
        )

    print("up", flush=True)  # noqa: T201 told to the test
    await Timers(database, fire, clock.now).run(stop)
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
