"""A process that makes matches until it is told to end, without a bus: `… <url> [<queue>]`.

It prints how many.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys

from libs.bus.memory import MemoryBus
from libs.eventstore.postgres.database import Database
from libs.runtime.loops import keep_running
from libs.runtime.service import Loop
from libs.runtime.systemclock import SystemClock
from services.match.domain.queueing import Queue
from services.match.queue.matchmaker import Matchmaker
from services.match.races.matchmaker import RaceMatchmaker
from tests.support.queueing import begin_small_matches


async def main(url: str, queue: str = Queue.QUICK_MATCH.value) -> None:
    """Make matches."""
    database, stop = await Database.open(url, "match"), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    made: list[int] = []

    kind = RaceMatchmaker if queue == Queue.RACE.value else Matchmaker

    class Counting(kind):  # type: ignore[misc, valid-type]  # one of the two
        async def step(self) -> int:
            made.append(await super().step())
            return made[-1]

    matchmaker = Counting(
        database.store,
        begin_small_matches,
        MemoryBus(),
        SystemClock().now,
        secrets.token_bytes,
        queue=Queue(queue),
    )
    print("up", flush=True)  # noqa: T201 told to the test
    await keep_running(Loop("matchmaker", matchmaker.run), stop)
    await database.close()
    print(f"made {sum(made)}", flush=True)  # noqa: T201 told to the test


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
