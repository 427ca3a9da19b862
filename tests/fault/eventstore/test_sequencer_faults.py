"""Sequencers that are killed or suspended at every named point, with a second one ready to take over."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.faults import POINTS
from libs.eventstore.postgres.database import Database
from tests.support.store_contract import append, fact, to
from tests.support.waiting import until

SEQUENCER_POINTS = [point for point in POINTS if point.startswith("sequencer.")]
STREAMS, VERSIONS = 5, 8

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `match` schema of a fresh database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


@pytest.fixture
def start(database_url: str) -> Iterator[Start]:
    """Start sequencing processes, armed or not; whatever still runs afterwards is killed."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(holder: str, fault: str = "") -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.sequencing_process", database_url, "match", holder],
            env={**os.environ, "SPARROW_FAULT": fault},
            stdout=subprocess.PIPE,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        with process:
            process.wait()


@pytest.mark.parametrize("point", SEQUENCER_POINTS)
async def test_a_killed_sequencer_loses_and_doubles_nothing(
    database: Database, start: Start, point: str
) -> None:
    """Killed at its second passage of any point, the work is finished by the next one."""
    await _append_all(database)
    killed = start("a", f"{point}:kill:2")
    await until(lambda: killed.poll() is not None, within_s=30)
    assert killed.returncode == -signal.SIGKILL

    start("b")
    await _feed_is_complete(database)


@pytest.mark.parametrize("point", SEQUENCER_POINTS)
async def test_a_suspended_sequencer_is_fenced(database: Database, start: Start, point: str) -> None:
    """Suspended over its lease and woken after another took over, it changes nothing and disturbs nobody."""
    await _append_all(database)
    suspended = start("a", f"{point}:stop:2")
    await _until_stopped(suspended)
    start("b")
    await _feed_is_complete(database)

    suspended.send_signal(signal.SIGCONT)
    await append(database.store, to(99, 0, fact("later")))
    await _feed_is_complete(database, extra=1)
    assert suspended.poll() is None


async def _append_all(database: Database) -> None:
    for version in range(VERSIONS):
        await append(database.store, *(to(number, version, fact("x")) for number in range(STREAMS)))


async def _feed_is_complete(database: Database, *, extra: int = 0) -> None:
    expected = STREAMS * VERSIONS + extra
    async with asyncio.timeout(30):
        while (await database.feed.head(Part.FACTS)).last_seq < expected:  # noqa: ASYNC110 another process's work
            await asyncio.sleep(0.05)
    entries = await database.feed.read(Part.FACTS, 1)
    last = verify_feed(entries, CHAIN_START)
    assert isinstance(last, FeedEntry)
    assert (last.seq, len({entry.event.id for entry in entries})) == (expected, expected)
    assert await database.pool.fetchval("SELECT count(*) FROM outbox") == 0


async def _until_stopped(process: subprocess.Popen[bytes]) -> None:
    def is_stopped() -> bool:
        stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
        return stat.rpartition(")")[2].split()[0] == "T"

    await until(is_stopped, within_s=30)
