"""How fast results are taken in, folded, and rolled over a midnight: `python -m tests.bench.ledger_write`.

On a server that flushes as in production. Match facts go through the intake's handler in its batches; then
the sequencer and the projector work off what was posted. 64 writers hand in one result each and wait until it
is durable; what waits together is one batch, as the consumer has it. Beside that, on the same server, 64
threads append to `eventsourcing`, and its projection counts what is stored (see `eventsourcing_peer`). The
midnight is that of boards with 10 million entries of 365 days. Prints a line of JSON a figure.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from statistics import median
from time import perf_counter
from typing import Final
from uuid import UUID, uuid4

import uvloop

from libs.bus.memory import MemoryBus
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import uuid7
from libs.eventstore.chain import CHAIN_START
from libs.eventstore.checkpoint import claim
from libs.eventstore.migrations import upgrade
from libs.eventstore.wake import Wake
from libs.pb.sparrow.match.v1 import match_event_pb2
from services.ledger.domain.calendar import day_end, ledger_day
from services.ledger.policies import INTAKE, INTAKE_BATCH_MAX, ResultFacts, match_facts
from services.ledger.wire.match_facts import ATTEMPT_CLEARED, QUICK_MATCH_ENDED
from tests.bench import eventsourcing_peer
from tests.bench.big_boards import Year, load, wrong_sums
from tests.bench.bulk_loading import connect
from tests.bench.figures import print_figure
from tests.support.ledger_bench import EPOCH, LedgerBench, ledger_bench
from tests.support.servers import Databases, PostgresServer

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE: Final = "bench/match"
PLAYERS: Final = 27_000
WRITERS: Final = 64
ROUNDS: Final = 5
BATCHES_A_ROUND: Final = 20
MIDNIGHTS: Final = 5


@dataclass
class Results:
    """Facts of matches: attempts that earn twice and quick matches that earn once, by turns."""

    chance: random.Random = field(default_factory=lambda: random.Random(64))
    seqs: count[int] = field(default_factory=lambda: count(1))

    def quick_match(self) -> FeedEntry:
        """Return a match with one winner: one transfer."""
        seat = match_event_pb2.QuickMatchEnded.Seat
        winner, loser = (str(UUID(int=player << 64)) for player in self.chance.sample(range(PLAYERS), 2))
        message = match_event_pb2.QuickMatchEnded(
            match_id=str(uuid4()),
            seats=[seat(account_id=winner, points=20), seat(account_id=loser, points=0)],
        )
        return self._entry(QUICK_MATCH_ENDED, message.SerializeToString())

    def cleared(self) -> FeedEntry:
        """Return a level that was cleared first and fast: two transfers."""
        message = match_event_pb2.AttemptCleared(
            account_id=str(UUID(int=self.chance.randrange(PLAYERS) << 64)),
            level=self.chance.randrange(1, 1 << 30),
            first_completion_points=10,
            time_bonus_points=5,
        )
        return self._entry(ATTEMPT_CLEARED, message.SerializeToString())

    def batch(self, size: int) -> list[FeedEntry]:
        """Return so many facts, half of each kind."""
        return [self.cleared() if at % 2 else self.quick_match() for at in range(size)]

    def _entry(self, type_: str, data: bytes) -> FeedEntry:
        stream = uuid7(NOON, os.urandom(10))
        event = RecordedEvent(
            stream, 1, Part.FACTS, type_, 1, NOON, NOON, UUID(int=7), None, 0, data, None
        )  # fmt: skip
        return FeedEntry(next(self.seqs), NOON, CHAIN_START, event)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[tuple[LedgerBench, ResultFacts]]:
    """Open a ledger with its boards and the handler of its intake."""
    async with ledger_bench(url, NOON) as bench:
        await bench.settle()
        async with bench.database.engine.begin() as connection:
            await claim(connection, INTAKE, EPOCH)
        yield bench, match_facts(bench.journal, bench.clock, Wake(MemoryBus(), "ledger"), SOURCE)


async def intake(url: str) -> tuple[float, float]:
    """Return transfers a second through the intake, and facts a second through the projector; medians."""
    async with opened(url) as (bench, facts):
        results, taken, folded = Results(), list[float](), list[float]()
        posted = 0
        for _ in range(ROUNDS):
            batches = [results.batch(INTAKE_BATCH_MAX) for _ in range(BATCHES_A_ROUND)]
            begun = perf_counter()
            for batch in batches:
                await facts.handle(batch, EPOCH)
            took_s = perf_counter() - begun
            now = await bench.count("SELECT count(*) FROM transfer")
            taken.append((now - posted) / took_s)
            posted = now
            while await bench.sequencer.step(EPOCH):
                pass
            begun, done = perf_counter(), 0
            while step := await bench.projector.step(EPOCH):
                done += step
            folded.append(done / (perf_counter() - begun))
        await bench.check_tables()
        return median(taken), median(folded)


async def waiting_writers(url: str, seconds: float) -> float:
    """Return how many transfers a second WRITERS get who each wait for the one before to be durable."""
    async with opened(url) as (bench, facts):
        results, until = Results(), perf_counter() + seconds
        waiting: list[asyncio.Future[None]] = []
        arrived = asyncio.Event()

        async def write() -> None:
            while perf_counter() < until:
                durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                waiting.append(durable)
                arrived.set()
                await durable

        async def take_in() -> None:
            while perf_counter() < until or waiting:
                await arrived.wait()
                arrived.clear()
                batch = waiting[:]
                waiting.clear()
                if batch:
                    await facts.handle([results.quick_match() for _ in batch], EPOCH)
                    for durable in batch:
                        durable.set_result(None)

        begun = perf_counter()
        taking = asyncio.create_task(take_in())
        await asyncio.gather(*(write() for _ in range(WRITERS)))
        took_s = perf_counter() - begun
        taking.cancel()
        return await bench.count("SELECT count(*) FROM transfer") / took_s


async def midnights(url: str, year: Year) -> list[float]:
    """Return how long each of some midnights took the projector, on boards of a year."""
    async with ledger_bench(url, day_end(year.last_day) - timedelta(hours=12)) as bench:
        connection = await connect(url)
        try:
            await load(connection, year, bench.projector)
            took_s = []
            for _ in range(MIDNIGHTS):
                bench.clock.advance(timedelta(days=1))
                assert await bench.closer.step() == 1
                await bench.sequencer.step(EPOCH)
                begun = perf_counter()
                assert await bench.projector.step(EPOCH) == 1
                took_s.append(perf_counter() - begun)
            assert await wrong_sums(connection, year, ledger_day(bench.clock.now())) == 0
            return took_s
        finally:
            await connection.close()


def measure(seconds: float, year: Year) -> None:
    """Measure everything on one server of its own."""
    server = PostgresServer(durable=True)
    server.start()
    try:
        databases = Databases(server.url)
        taken, folded = uvloop.run(intake(databases.create(upgrade)))
        print_figure("ledger.intake_per_s", taken, "1/s")
        print_figure("ledger.project_per_s", folded, "1/s")
        appended = uvloop.run(waiting_writers(databases.create(upgrade), seconds))
        print_figure(f"ledger.append.c{WRITERS}.per_s", appended, "1/s")
        plain, functions = (
            eventsourcing_peer.appends_per_s(databases.create(), WRITERS, seconds, functions=functions)
            for functions in (False, True)
        )
        print_figure(f"ledger.peer.append.c{WRITERS}.per_s", plain, "1/s")
        print_figure(f"ledger.peer.append_by_function.c{WRITERS}.per_s", functions, "1/s")
        print_figure("ledger.append_ratio", appended / plain, "")
        print_figure("ledger.append_by_function_ratio", appended / functions, "")
        projected = eventsourcing_peer.projections_per_s(databases.create(), seconds)
        print_figure("ledger.peer.project_per_s", projected, "1/s")
        print_figure("ledger.project_ratio", folded / projected, "")
        took_s = uvloop.run(midnights(databases.create(upgrade), year))
        print_figure("boards.midnight_roll.entries", year.entries, "")
        print_figure("boards.midnight_roll_s", median(took_s), "s")
        print_figure("boards.midnight_roll_max_s", max(took_s), "s")
    finally:
        server.remove()


def run(as_json: bool = True, arguments: Sequence[str] = ()) -> None:
    """Measure; figures are lines of JSON either way. Arguments: seconds, entries a day on the boards."""
    del as_json
    numbers = [float(argument) for argument in arguments if not argument.startswith("-")]
    seconds = numbers[0] if numbers else 5.0
    a_day = int(numbers[1]) if len(numbers) > 1 else 27_400
    measure(seconds, Year(date(2026, 3, 2), players=max(a_day, 200_000), players_a_day=a_day))


if __name__ == "__main__":
    run(arguments=sys.argv[1:])
