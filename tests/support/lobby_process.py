"""A process that makes MCR tables of tickets until it is told to end, without a bus; it prints how many."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from datetime import timedelta

from libs.bus.memory import MemoryBus
from libs.eventstore.postgres.database import Database
from libs.runtime.loops import keep_running
from libs.runtime.service import Loop
from libs.runtime.systemclock import SystemClock
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.matchmaker import Matchmaker
from services.mcr.tables.begin import TableBeginnings
from services.mcr.tables.pace import Pace


async def main(url: str) -> None:
    """Make tables of whoever waits; of fewer than four after a second."""
    database, stop = await Database.open(url, "mcr"), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    made: list[int] = []

    class Counting(Matchmaker):
        async def step(self) -> int:
            made.append(await super().step())
            return made[-1]

    randomness = secrets.token_bytes
    beginnings = Beginnings(TableBeginnings(randomness, Pace()), randomness)
    matchmaker = Counting(
        database.store,
        beginnings,
        MemoryBus(),
        SystemClock().now,
        randomness,
        fill_after=timedelta(seconds=1),
    )
    print("up", flush=True)  # noqa: T201 told to the test
    await keep_running(Loop("matchmaker", matchmaker.run), stop)
    await database.close()
    print(f"made {sum(made)}", flush=True)  # noqa: T201 told to the test


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
