"""Loops that go on after failures, and the clocks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from libs.runtime import loops, systemclock
from libs.runtime.loops import keep_running
from libs.runtime.pause import pause
from libs.runtime.service import Loop
from libs.runtime.systemclock import DatabaseClock, SteppingClock, SystemClock

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_a_loop_that_fails_runs_again_until_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two failures and an early end are followed by a further run; the stop ends it."""
    monkeypatch.setattr(loops, "BACKOFF_FIRST_S", 0.001)
    stop, waiting, runs = asyncio.Event(), asyncio.Event(), 0

    async def body(stop: asyncio.Event) -> None:
        nonlocal runs
        runs += 1
        if runs < 3:
            raise RuntimeError("once more")
        if runs > 3:
            waiting.set()
            await stop.wait()

    task = asyncio.create_task(keep_running(Loop("test", body), stop))
    async with asyncio.timeout(20):
        await waiting.wait()
        stop.set()
        await task

    assert runs == 4


async def test_a_cancelled_loop_is_not_started_again() -> None:
    """Cancelling is no failure."""

    async def body(stop: asyncio.Event) -> None:
        await asyncio.sleep(3_600)

    task = asyncio.create_task(keep_running(Loop("test", body), asyncio.Event()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_stop_cuts_a_pause_short() -> None:
    """Nobody waits for the end of a pause."""
    stop = asyncio.Event()
    stop.set()
    async with asyncio.timeout(20):
        await pause(stop, 3_600)


async def test_the_database_clock_goes_on_from_its_sample() -> None:
    """Between samples the monotonic clock carries it; a step of the database shows with the next sample."""
    at = AT

    async def sample() -> datetime:
        return at

    clock = DatabaseClock(sample)
    await clock.take_sample()
    first = clock.now()
    await asyncio.sleep(0.02)
    second = clock.now()
    at = AT - timedelta(seconds=90)
    await clock.take_sample()

    assert timedelta(0) <= first - AT < timedelta(seconds=1)
    assert timedelta(seconds=0.02) <= second - first < timedelta(seconds=1)
    assert clock.now() < AT
    assert clock.now().tzinfo is UTC


async def test_a_slow_sample_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that took too long says little about its moment, unless there is no other."""
    monkeypatch.setattr(systemclock, "ROUND_TRIP_MAX_S", -1.0)
    answers = iter([AT, AT + timedelta(hours=1)])

    async def sample() -> datetime:
        return next(answers)

    clock = DatabaseClock(sample)
    await clock.take_sample()
    await clock.take_sample()

    assert clock.now() - AT < timedelta(minutes=1)


async def test_sampling_passes_errors_on_and_the_clock_goes_on() -> None:
    """While the database is away the last sample carries the clock."""
    answers = iter([AT])

    async def sample() -> datetime:
        try:
            return next(answers)
        except StopIteration:
            raise ConnectionRefusedError from None

    clock = DatabaseClock(sample)
    await clock.take_sample()
    with pytest.raises(ConnectionRefusedError):
        await clock.keep_sampling(asyncio.Event())

    assert clock.now() >= AT


def test_the_system_clock_tells_aware_utc_and_the_stepping_one_stands() -> None:
    """Both are clocks; one moves by itself."""
    stepping = SteppingClock(AT)

    assert SystemClock().now().tzinfo is UTC
    assert stepping.now() == stepping.now() == AT
    stepping.advance(timedelta(seconds=-90))
    assert stepping.now() == AT - timedelta(seconds=90)
