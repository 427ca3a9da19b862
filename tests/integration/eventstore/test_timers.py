"""Durable timers on PostgreSQL: on time, never early, once, and after a crash too."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.eventstore.timers import Fire, Timers, clear_timers, set_timer, timer_request
from libs.runtime.systemclock import SteppingClock, SystemClock
from tests.support.store_contract import CALLER, NOW, stream
from tests.support.waiting import until

SECOND = timedelta(seconds=1)
LATE_MAX = timedelta(milliseconds=100)


async def set_at(database: Database, number: int, due: datetime, kind: str = "end") -> None:
    """Set a timer of the n-th stream."""
    async with database.engine.begin() as connection:
        await set_timer(connection, stream(number), kind, due)


async def rows(database: Database) -> list[tuple[UUID, str, datetime]]:
    """What is set."""
    found = await database.pool.fetch("SELECT stream_id, kind, due FROM timer ORDER BY due")
    return [(UUID(int=row[0].int), row[1], row[2]) for row in found]


@asynccontextmanager
async def working(*workers: Timers) -> AsyncIterator[None]:
    """Run workers until left."""
    stop = asyncio.Event()
    tasks = [asyncio.create_task(worker.run(stop)) for worker in workers]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*tasks)


async def test_ten_timers_with_random_ends_fire_in_time_and_never_early(database: Database) -> None:
    """Set while two workers run, each fires once, within 100 ms of what this machine can do then."""
    clock, seeded = SystemClock(), random.Random(10)
    fired: dict[UUID, timedelta] = {}
    possible: dict[UUID, timedelta] = {}
    asking: list[asyncio.Task[None]] = []

    async def fire(stream_id: UUID, _kind: str, due: datetime) -> None:
        assert stream_id not in fired
        fired[stream_id] = clock.now() - due

    async def ask_in_time(number: int, due: datetime) -> None:
        """A bare question to the database at the same instant: a busy machine delays that too."""
        await asyncio.sleep((due - clock.now()) / SECOND)
        await database.pool.fetchval("SELECT 1")
        possible[stream(number)] = clock.now() - due

    async with working(*(Timers(database, fire, clock.now) for _ in range(2))):
        for number in range(10):
            due = clock.now() + SECOND * seeded.uniform(0.3, 2.5)
            await set_at(database, number, due)
            asking.append(asyncio.create_task(ask_in_time(number, due)))
        await until(lambda: len(fired) >= 10)
        await asyncio.sleep(0.3)
        await asyncio.gather(*asking)

    late = {each: fired[each] - possible[each] for each in fired}
    assert set(fired) == {stream(number) for number in range(10)}
    assert min(fired.values()) >= timedelta()
    assert max(late.values()) <= LATE_MAX, (fired, possible)
    assert await rows(database) == []


async def test_nothing_fires_before_the_injected_clock_says_so(database: Database) -> None:
    """A millisecond early is too early, however long it really takes."""
    clock = SteppingClock(NOW)
    fired: list[datetime] = []

    async def fire(_stream: UUID, _kind: str, due: datetime) -> None:
        fired.append(due)

    await set_at(database, 1, NOW + SECOND)
    timers = Timers(database, fire, clock.now)
    clock.advance(SECOND - timedelta(milliseconds=1))
    await timers.step()
    await timers.settle()
    assert fired == []
    clock.advance(timedelta(milliseconds=1))
    await timers.step()
    await timers.settle()

    assert fired == [NOW + SECOND]


async def test_a_timer_is_lazy(database: Database) -> None:
    """It fires again when the stream says so, and each firing has a key of its own."""
    clock = SteppingClock(NOW + SECOND)
    keys: list[str] = []

    async def fire(stream_id: UUID, kind: str, due: datetime) -> datetime | None:
        keys.append(timer_request(CALLER, stream_id, kind, due).request_id)
        return due + 20 * SECOND if len(keys) < 3 else None

    await set_at(database, 1, NOW)
    timers = Timers(database, fire, clock.now)
    for _ in range(3):
        await timers.step()
        await timers.settle()
        clock.advance(20 * SECOND)

    assert len(set(keys)) == 3
    assert keys[0] == timer_request(CALLER, stream(1), "end", NOW).request_id
    assert await rows(database) == []


async def test_what_was_set_or_cleared_while_it_fired_stays_so(database: Database) -> None:
    """The end of a firing touches only the instant that it fired for; firing blocks nobody."""
    clock = SteppingClock(NOW)

    async def fire(stream_id: UUID, _kind: str, _due: datetime) -> datetime | None:
        async with database.engine.begin() as connection:
            await clear_timers(connection, stream_id)
            if stream_id == stream(1):
                await set_timer(connection, stream_id, "end", NOW + 7 * SECOND)
        return NOW + 3 * SECOND

    for number in (1, 2):
        await set_at(database, number, NOW)
    timers = Timers(database, fire, clock.now)
    await timers.step()
    await timers.settle()

    assert await rows(database) == [(stream(1), "end", NOW + 7 * SECOND)]


def noting(fired: list[UUID]) -> Fire:
    """Return a firing that only notes its stream."""

    async def fire(stream_id: UUID, _kind: str, _due: datetime) -> None:
        fired.append(stream_id)

    return fire


async def test_a_claim_whose_worker_died_is_fired_by_another(database: Database) -> None:
    """Claimed and never finished: nobody else fires it meanwhile, and then somebody does."""
    clock = SystemClock()
    fired: list[UUID] = []
    await set_at(database, 1, clock.now())
    died = Timers(database, noting(fired), clock.now, claim_ms=800)
    successor = Timers(database, noting(fired), clock.now)
    await died._claim(clock.now(), 1)  # as if it had been killed right then
    await successor.step()
    await successor.settle()
    assert fired == []
    async with working(successor):
        await until(lambda: fired == [stream(1)], within_s=3)
        await asyncio.sleep(0.2)

    assert fired == [stream(1)]
    assert await rows(database) == []


async def test_one_bad_stream_does_not_stop_the_others(database: Database) -> None:
    """An error is that timer's own; it is tried again."""
    clock = SystemClock()
    fired: list[UUID] = []

    async def fire(stream_id: UUID, _kind: str, _due: datetime) -> None:
        if stream_id == stream(1):
            raise ZeroDivisionError
        fired.append(stream_id)

    for number in range(1, 30):
        await set_at(database, number, clock.now())
    async with working(Timers(database, fire, clock.now)):
        await until(lambda: len(fired) == 28)

    assert [row[0] for row in await rows(database)] == [stream(1)]


async def test_two_workers_fire_each_timer_once(database: Database) -> None:
    """Two hundred at one instant, two workers: each fires once."""
    clock = SystemClock()
    fired: list[UUID] = []

    async def fire(stream_id: UUID, _kind: str, _due: datetime) -> None:
        await asyncio.sleep(0.005)
        fired.append(stream_id)

    due = clock.now() + SECOND / 2
    async with database.engine.begin() as connection:
        for number in range(200):
            await set_timer(connection, stream(number), "end", due)
    async with working(*(Timers(database, fire, clock.now) for _ in range(2))):
        await until(lambda: len(fired) >= 200)
        await asyncio.sleep(0.1)

    assert len(fired) == len(set(fired)) == 200


async def test_nothing_fires_while_clocks_stand(database: Database) -> None:
    """Held, a due timer waits; let go, it fires."""
    clock, is_held = SteppingClock(NOW), [True]
    fired: list[UUID] = []

    async def held() -> bool:
        return is_held[0]

    await set_at(database, 1, NOW - SECOND)
    timers = Timers(database, noting(fired), clock.now, held=held)
    await timers.step()
    await timers.settle()
    assert fired == []
    is_held[0] = False
    await timers.step()
    await timers.settle()

    assert fired == [stream(1)]
