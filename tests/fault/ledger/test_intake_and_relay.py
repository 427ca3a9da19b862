"""Match and ledger as real processes, killed at the steps of relay and intake: nothing is lost or doubled.

A run takes two cells by a seed of its own, which it prints; `SPARROW_FAULT_SEED=<seed>` repeats it.
`SPARROW_FAULT_ALL=1` runs every cell.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventsourcing.ids import uuid7
from libs.eventstore.port import StreamAppend
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import match_event_pb2
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from tests.support.checker import findings
from tests.support.servers import NatsServer
from tests.support.service_process import ServiceProcess

CELLS = (
    "relay.before_publish",
    "relay.published",
    "relay.acknowledged",
    "relay.saved",
    "consumer.fetched",
    "ledger.rows_in",
    "ledger.commit_sent",
    "ledger.committed",
    "consumer.committed",
    "consumer.acknowledged",
)
CELLS_A_RUN = 2
WITHIN_S = 150  # for a machine that has much else to do
RESULTS = 40
CLEARED = "sparrow.match.attempt_cleared.v1"
NOWHERE = json.dumps(dict.fromkeys(("solitaire", "mcr", "account", "tournament"), "127.0.0.1:1"))
"""Where those services are that no test here needs."""


@pytest.fixture
def own_nats() -> Iterator[NatsServer]:
    """A server whose streams are this test's alone."""
    server = NatsServer()
    server.start()
    yield server
    server.remove()


@asynccontextmanager
async def running(
    database_url: str, nats_url: str, keys: Path, fault: str = ""
) -> AsyncIterator[ServiceProcess]:
    """Run match and ledger in one process, serving and working, armed or not; kill it at the end."""
    settings = {
        "SPARROW_DATABASE_URL": database_url,
        "SPARROW_NATS_URL": nats_url,
        "SPARROW_KEYS_DIR": str(keys),
        "SPARROW_PORT": str(free_port(secrets.token_hex(4))),
        "SPARROW_LOG_LEVEL": "error",
        "SPARROW_SERVICE_ADDRESSES": NOWHERE,
        "SPARROW_FAULT": fault,
    }
    process = ServiceProcess(["match", "ledger"], settings)
    try:
        yield process
    finally:
        await process.end()


async def record_results(match: Database, chance: Random, done: asyncio.Event) -> None:
    """Record cleared attempts until told, at least RESULTS of them: some players clear a level again."""
    recorded, cleared = 0, set[tuple[int, int]]()
    while recorded < RESULTS or not done.is_set():
        now = datetime.now(UTC)
        player, level = chance.randrange(1_000), chance.randrange(1, 4)
        is_first = (player, level) not in cleared
        cleared.add((player, level))
        fact = match_event_pb2.AttemptCleared(
            account_id=str(UUID(int=player)),
            level=level,
            first_completion_points=10 if is_first else 0,
            time_bonus_points=chance.choice((0, 5, 10)) if is_first else 0,
        )
        event = NewEvent(Part.FACTS, CLEARED, 1, now, fact.SerializeToString())
        stream = StreamAppend(uuid7(now, chance.randbytes(10)), 0, (event,))
        await match.store.append([stream], recorded_at=now, caller=UUID(int=7))
        recorded += 1
        await asyncio.sleep(0.05)


async def until_settled(match: Database) -> None:
    """Wait until every loop has done all there is."""
    is_behind = """
        SELECT (SELECT count(*) FROM match.outbox) + (SELECT count(*) FROM ledger.outbox)
            + (SELECT last_seq FROM match.feed_head WHERE part = 1)
            - coalesce((SELECT seq FROM ledger.checkpoint WHERE name = 'ledger-intake'), 0)
            + (SELECT last_seq FROM ledger.feed_head WHERE part = 1)
            - coalesce((SELECT seq FROM ledger.checkpoint WHERE name = 'boards_g2'), 0)
    """
    async with asyncio.timeout(WITHIN_S):
        while await match.pool.fetchval(is_behind) != 0:  # noqa: ASYNC110 another process sets no event
            await asyncio.sleep(0.05)


@pytest.mark.timeout(600)
async def test_a_kill_in_relay_or_intake_loses_and_doubles_nothing(
    database_url: str, own_nats: NatsServer, tmp_path: Path
) -> None:
    """Killed while results arrive, and begun again: the naive checker finds every result exactly once."""
    seed = int(os.environ.get("SPARROW_FAULT_SEED") or secrets.randbelow(1_000_000))
    chance = Random(seed)
    cells = CELLS if os.environ.get("SPARROW_FAULT_ALL") else chance.sample(CELLS, CELLS_A_RUN)
    faults = [f"{cell}:kill:{chance.randrange(1, 5)}" for cell in cells]
    print(f"seed {seed}: {faults}")  # noqa: T201 to repeat it
    ensure_keys(tmp_path)
    match, done = await Database.open(database_url, "match"), asyncio.Event()
    recording = asyncio.create_task(record_results(match, chance, done))
    try:
        for fault in faults:
            async with (
                asyncio.timeout(WITHIN_S),
                running(database_url, own_nats.url, tmp_path, fault) as doomed,
            ):
                assert await doomed.wait() == -signal.SIGKILL, f"seed {seed}: {fault}"
        done.set()
        async with running(database_url, own_nats.url, tmp_path) as process:
            await recording
            await until_settled(match)
            process.terminate()
            await process.wait()
    finally:
        recording.cancel()
        await match.close()
    assert await findings(database_url) == [], f"seed {seed}: {faults}"
