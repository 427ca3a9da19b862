"""A ledger process dies by SIGKILL in the middle of paying prizes; the next one pays the rest, none twice."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import grpc
import pytest
from sqlalchemy import text

from libs.eventsourcing.envelope import Part
from libs.eventstore.postgres.database import Database
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.feed_servicer import FeedServicer
from services.ledger.prize_facts import PRIZE_INTAKE
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.verification import Verification
from tests.support.checker import findings
from tests.support.ledger_bench import LedgerBench, ledger_bench
from tests.support.ledger_process import ledger_process, until_all_is_folded
from tests.support.prize_feeds import award, awarded, feed, record, revoked

POINTS = (
    "ledger.rows_in:kill:2",
    "ledger.commit_sent:kill:2",
    "ledger.committed:kill:2",
    "consumer.committed",
)
PLAYERS = [UUID(int=number) for number in range(1, 5)]
TOURNAMENTS = 12
MOVED = text(
    "SELECT account, asset, cup_kind, sum(amount)::bigint AS amount FROM ("
    " SELECT credit AS account, asset, cup_kind, amount FROM transfer"
    " UNION ALL SELECT debit, asset, cup_kind, -amount FROM transfer"
    ") AS sides GROUP BY 1, 2, 3 HAVING sum(amount) <> 0"
)


@asynccontextmanager
async def tournament_service(database_url: str) -> AsyncIterator[tuple[Database, str]]:
    """The schema of the tournament service, and the address at which its feed is served."""
    database = await Database.open(database_url, "tournament")
    server = grpc.aio.server()
    FeedServicer("local", {"tournament": database.feed}).register(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield database, f"127.0.0.1:{port}"
    finally:
        await server.stop(0)
        await database.close()


async def award_and_revoke(tournaments: Database, now: datetime, done: asyncio.Event) -> int:
    """Let tournaments finish until told, at least so many; in each the winner's prize passes to the second.

    They finished two days ago: they were caught up. Return how many there were.
    """
    at, finished = now - timedelta(days=2), 0
    while finished < TOURNAMENTS or not done.is_set():
        prizes = [award(n + 1, each, 100 - n, 2, "gold" if n == 0 else "") for n, each in enumerate(PLAYERS)]
        passed_on = award(5, PLAYERS[1], 1, 0, "gold")
        events = [
            awarded(*prizes, finished_at=at),
            revoked(prizes[0], finished_at=at),
            awarded(passed_on, finished_at=at),
        ]
        identity = uuid4()
        await record(tournaments, identity, events[:1], now)
        await feed(tournaments)
        await asyncio.sleep(0.05)
        await record(tournaments, identity, events[1:], now, version=1)
        await feed(tournaments)
        finished += 1
    return finished


async def until_all_is_taken_in(bench: LedgerBench, tournaments: Database) -> None:
    """Wait until the intake stands at the end of the feed."""
    head = (await tournaments.feed.head(Part.FACTS)).last_seq
    stands = f"SELECT coalesce(max(seq), 0) FROM checkpoint WHERE name = '{PRIZE_INTAKE}'"
    while await bench.count(stands) < head:  # noqa: ASYNC110 another process sets no event
        await asyncio.sleep(0.05)
    await until_all_is_folded(bench)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_in_the_middle_of_paying_pays_no_prize_twice_and_loses_none(
    point: str, database_url: str, tmp_path: Path
) -> None:
    """Each prize that stands is held once, a revoked one by nobody; log, journal and boards agree."""
    ensure_keys(tmp_path)
    now, done = datetime.now(UTC), asyncio.Event()
    async with (
        asyncio.timeout(100),
        tournament_service(database_url) as (tournaments, address),
        ledger_bench(database_url, now) as bench,
    ):
        playing = asyncio.create_task(award_and_revoke(tournaments, now, done))
        armed = point if ":" in point else f"{point}:kill"
        async with ledger_process(database_url, tmp_path, armed, tournament=address) as doomed:
            assert await doomed.wait() == -signal.SIGKILL
        done.set()
        finished = await playing
        async with ledger_process(database_url, tmp_path, tournament=address):
            await until_all_is_taken_in(bench, tournaments)

        async with bench.database.engine.connect() as connection:
            held = {tuple(row[:3]): row.amount for row in await connection.execute(MOVED)}
        expected = Counter[tuple[str, str, str]]()
        for place, player in enumerate(PLAYERS[1:], 1):
            expected[f"players/{player}", "POINTS", ""] = (100 - place + (place == 1)) * finished
            expected[f"players/{player}", "JOKER", ""] = 2 * finished
        expected[f"players/{PLAYERS[1]}", "CUP", "gold"] = finished
        assert {who: amount for who, amount in held.items() if who[0].startswith("players/")} == expected
        assert await bench.count("SELECT count(*) FROM parked") == 0
        assert (await Verification(database_url, Progress()).run()).faults.count == 0
        assert await findings(database_url, stopped=False) == []
