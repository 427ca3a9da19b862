"""PostgreSQL goes away under a running ledger process and comes back: its loops go on by themselves."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.migrations import upgrade
from libs.eventstore.port import StoreUnavailable
from libs.runtime.embedded.keys import ensure_keys
from services.ledger.domain.windows import Board
from tests.support.ledger_bench import ledger_bench, points_order
from tests.support.ledger_process import ledger_process, until_all_is_folded
from tests.support.servers import Databases, PostgresServer

AWAY_S = 6.0
"""Longer than every lease and every wait for a connection."""


@pytest.mark.timeout(150)
async def test_feed_and_boards_go_on_after_postgres_was_away(tmp_path: Path) -> None:
    """Scenario E9: killed, away longer than any lease, back: one process sequences and folds the rest."""
    ensure_keys(tmp_path)
    server = PostgresServer(durable=True)
    await asyncio.to_thread(server.start)
    try:
        url = await asyncio.to_thread(Databases(server.url).create, upgrade)
        now = datetime.now(UTC)
        async with (
            asyncio.timeout(120),
            ledger_bench(url, now) as bench,
            ledger_process(url, tmp_path) as process,
        ):
            for number in range(10):
                await bench.post(points_order(UUID(int=number % 3 + 1), 5, now))
            await until_all_is_folded(bench)
            await bench.post(points_order(UUID(int=4), 5, now))
            await asyncio.to_thread(server.kill)
            with pytest.raises(StoreUnavailable):
                await bench.post(points_order(UUID(int=5), 5, now))
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(server.start)
            for number in range(10):
                await bench.post(points_order(UUID(int=number % 3 + 1), 5, now))
            await until_all_is_folded(bench)

            assert process.returncode is None
            assert {entry.account: entry.points for entry in await bench.shown(Board.AMR)} == {
                str(UUID(int=1)): 40,
                str(UUID(int=2)): 30,
                str(UUID(int=3)): 30,
                str(UUID(int=4)): 5,
            }
            entries = await bench.database.feed.read(Part.FACTS, 1)
            assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)
            await bench.check_tables()
    finally:
        await asyncio.to_thread(server.remove)
