"""How many appends a second the store takes with a live sequencer: `python -m tests.bench.append [seconds]`.

Each client appends one event at a time to streams of its own, under a fresh request key, through one
service's usual pool. Prints one line of JSON per figure.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, field
from itertools import count
from statistics import quantiles
from time import perf_counter, process_time

import uvloop

from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part
from libs.eventsourcing.ids import uuid7
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.migrations import upgrade
from libs.eventstore.port import Appended, Request, StreamAppend
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from tests.bench.figures import print_figure
from tests.support.servers import Databases, PostgresServer
from tests.support.store_contract import CALLER, NOW

CLIENTS = (1, 16, 64)
EVENTS_A_STREAM = 70  # about as many as a game has moves
PAYLOAD = b"x" * 40


@dataclass
class Run:
    """One measurement: its clients share a counter for keys and a list of times."""

    database: Database
    until: float
    keys: count[int] = field(default_factory=count)
    took_s: list[float] = field(default_factory=list)

    async def client(self, number: int) -> None:
        """Append until the time is over."""
        event = NewEvent(Part.MOVES, "sparrow.bench.moved.v1", 1, NOW, PAYLOAD)
        for game in count():
            stream_id = uuid7(NOW, os.urandom(10))
            for version in range(EVENTS_A_STREAM):
                begun = perf_counter()
                if begun > self.until:
                    return
                request = Request(CALLER, f"{number}-{game}-{next(self.keys)}", bytes(32))
                result = await self.database.store.append(
                    [StreamAppend(stream_id, version, (event,))],
                    recorded_at=NOW,
                    caller=CALLER,
                    request=request,
                )
                assert isinstance(result, Appended)
                self.took_s.append(perf_counter() - begun)


async def sequence(database: Database, stop: asyncio.Event) -> None:
    """Sequence without a pause while there is work, as the worker does."""
    sequencer = Sequencer(database, Part.MOVES)
    while await sequencer.step(1) or not stop.is_set():  # noqa: ASYNC110 as the worker polls
        await asyncio.sleep(0.005)


async def measure(url: str, clients: int, seconds: float) -> None:
    """Run one number of clients on a fresh database and print its figures."""
    serving = await Database.open(url, "match")
    working = await Database.open(url, "match", pool_max=2)
    stop = asyncio.Event()
    sequencing = asyncio.create_task(sequence(working, stop))
    begun, cpu = perf_counter(), process_time()
    run = Run(serving, begun + seconds)
    await asyncio.gather(*(run.client(number) for number in range(clients)))
    elapsed, cpu = perf_counter() - begun, process_time() - cpu
    stop.set()
    await sequencing
    await check(working, len(run.took_s))
    cuts = quantiles(run.took_s, n=100)
    prefix = f"store.append.c{clients}"
    print_figure(f"{prefix}.per_s", len(run.took_s) / elapsed, "1/s")
    print_figure(f"{prefix}.p50_ms", cuts[49] * 1000, "ms")
    print_figure(f"{prefix}.p99_ms", cuts[98] * 1000, "ms")
    print_figure(f"{prefix}.python_cpu_ms", cpu / len(run.took_s) * 1000, "ms")
    await serving.close()
    await working.close()


async def measure_round_trips(url: str, seconds: float) -> None:
    """Print what the same pool does when the server has nothing to do: the measure for the other figures."""
    database = await Database.open(url, "match")
    begun, done = perf_counter(), 0

    async def client() -> None:
        nonlocal done
        while perf_counter() < begun + seconds:
            await database.pool.fetch("SELECT 1")
            done += 1

    await asyncio.gather(*(client() for _ in range(16)))
    print_figure("store.round_trip.c16.per_s", done / (perf_counter() - begun), "1/s")
    await database.close()


async def check(database: Database, appended: int) -> None:
    """Hold the feed against what was appended: a fast store that loses events has no figures."""
    seq, chain = 0, CHAIN_START
    while entries := await database.feed.read(Part.MOVES, seq + 1, limit=5000):
        last = verify_feed(entries, chain, start_seq=seq)
        assert isinstance(last, FeedEntry), last
        seq, chain = last.seq, last.chain
    assert seq == appended, f"{seq} of {appended} events came to the feed"


def main(seconds: float = 5.0) -> None:
    """Measure on a server of its own that flushes as in production."""
    server = PostgresServer(durable=True)
    server.start()
    try:
        databases = Databases(server.url)
        uvloop.run(measure_round_trips(databases.create(upgrade), seconds / 2))
        for clients in CLIENTS:
            uvloop.run(measure(databases.create(upgrade), clients, seconds))
    finally:
        server.remove()


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
