"""Hints after a commit, and the pace of the loops that hear them."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from libs.bus.memory import MemoryBus
from libs.bus.port import Message
from libs.eventstore.pace import Pace
from libs.eventstore.wake import Wake, read_live

STREAM = UUID(int=5)


async def test_a_commit_wakes_the_loops_and_the_watchers() -> None:
    """The service's loops are nudged, and watchers of the stream hear its new version."""
    bus, heard = MemoryBus(), asyncio.Queue[Message]()
    await bus.subscribe("sparrow.>", heard.put)
    await Wake(bus, "match").committed(STREAM, 17)
    async with asyncio.timeout(20):
        messages = [await heard.get(), await heard.get()]

    assert [one.subject for one in messages] == ["sparrow.wake.match", f"sparrow.live.{STREAM}"]
    assert read_live(messages[1].data) == 17


async def test_a_burst_of_commits_is_one_nudge() -> None:
    """Commits in quick succession nudge once: the nudged loop looks again by itself."""
    bus, heard = MemoryBus(), asyncio.Queue[Message]()
    await bus.subscribe("sparrow.wake.*", heard.put)
    wake = Wake(bus, "match")
    for version in range(50):
        await wake.committed(STREAM, version)
    await asyncio.sleep(0.01)

    assert heard.qsize() == 1


async def test_waking_never_raises() -> None:
    """Without a bus, or with a broken one, the command that committed is still answered."""
    bus = MemoryBus()
    bus.down = True
    await Wake(bus, "match").committed(STREAM, 1)

    class Broken(MemoryBus):
        async def send(self, subject: str, data: bytes) -> None:
            raise RuntimeError("broken")

    await Wake(Broken(), "match").committed(STREAM, 1)


@pytest.mark.parametrize(
    ("data", "version"), [(b"1", 1), (b"", None), (b"x", None), (b"-1", None), (b"9" * 20, None)]
)
def test_only_a_version_is_a_version(data: bytes, version: int | None) -> None:
    """Anything else on a live subject is ignored."""
    assert read_live(data) == version


async def test_a_nudge_ends_the_wait_at_once() -> None:
    """An idle loop waits long, a nudged one not at all, and afterwards it is busy."""
    loop = asyncio.get_running_loop()
    pace = Pace(busy_ms=20, idle_ms=2_000)
    started = loop.time()
    loop.call_later(0.05, pace.nudge)
    await pace.wait(worked=False)
    assert 0.04 < loop.time() - started < 0.5
    started = loop.time()
    await pace.wait(worked=False)

    assert 0.01 < loop.time() - started < 0.5


async def test_nudges_of_a_busy_loop_are_answered_together() -> None:
    """However often it is nudged, a loop looks no more often than its busy interval, and misses no nudge."""
    loop = asyncio.get_running_loop()
    pace = Pace(busy_ms=20, idle_ms=2_000)
    started, looks = loop.time(), 0
    while loop.time() - started < 0.2:
        pace.nudge()
        await pace.wait(worked=True)
        looks += 1

    assert 3 <= looks <= 11


async def test_commits_of_a_busy_process_are_told_together() -> None:
    """The first is told at once, those right after it within milliseconds: the last version."""
    bus, heard = MemoryBus(), asyncio.Queue[Message]()
    await bus.subscribe("sparrow.live.*", heard.put)
    wake = Wake(bus, "match")
    for version in range(1, 51):
        await wake.committed(STREAM, version)
    async with asyncio.timeout(1):
        told = [read_live((await heard.get()).data) for _ in range(2)]
    await asyncio.sleep(0.05)

    assert told == [1, 50]
    assert heard.empty()
