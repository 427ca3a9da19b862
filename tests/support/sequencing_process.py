"""A process that sequences one part under a lease until it is told to end: `… <url> <schema> <holder>`."""

from __future__ import annotations

import asyncio
import signal
import sys

from libs.eventsourcing.envelope import Part
from libs.eventstore.lease import run_leased, wait_for
from libs.eventstore.port import Fenced
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer

BATCH = 7
IDLE_MS = 20


async def main(url: str, schema: str, holder: str) -> None:
    """Sequence the facts; a fenced leader stands for election again."""
    database = await Database.open(url, schema)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    sequencer = Sequencer(database, Part.FACTS, batch=BATCH)

    async def body(epoch: int, lost: asyncio.Event) -> None:
        try:
            while not lost.is_set():
                if await sequencer.step(epoch) == 0:
                    await wait_for(lost, IDLE_MS)
        except Fenced:
            print("fenced", flush=True)  # noqa: T201 told to the test

    await run_leased(database, "sequencer.facts", holder, body, stop)
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
