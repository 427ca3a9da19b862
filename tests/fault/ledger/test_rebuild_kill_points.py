"""A rebuild dies by SIGKILL at each of its points: reads and facts go on, the next one clears the rest."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from libs.eventstore.port import Fenced
from services.ledger.domain.windows import Board
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild
from services.ledger.projections.rebuilding.verification import Verification
from services.ledger.projections.tables import BoardTables
from tests.support.ledger_bench import EPOCH, LedgerBench, ledger_bench, points_order

POINTS = {
    "rebuild.midway": 2,
    "rebuild.at_barrier": 2,
    "rebuild.hash_right": 2,
    "rebuild.switched": 3,
}
"""The point, and the generation that answers after a death there."""
RESULTS = 30
ACTIVE = "SELECT generation FROM active_generation"
HOLDING = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'
      AND query LIKE '%FROM checkpoint WHERE name%'
      AND state_change < clock_timestamp() - interval '0.5 s'
"""


async def begun(database_url: str, fault: str) -> Process:
    """Rebuild in another process, with a fault armed."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.rebuild_process", database_url),
        env={**os.environ, "SPARROW_FAULT": fault},
        stderr=asyncio.subprocess.DEVNULL,
    )


async def killed_at(point: str, database_url: str) -> None:
    """Rebuild in another process that dies at the point."""
    process = await begun(database_url, f"{point}:kill")
    assert await process.wait() == -signal.SIGKILL


def follow_active(bench: LedgerBench, generation: int) -> None:
    """Fold into the active generation from now on, as the service does."""
    bench.projector = BoardProjector(bench.database, BoardTables(generation), bench.clock.now)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("point", POINTS)
async def test_a_killed_rebuild_changes_nothing_or_everything(point: str, database_url: str) -> None:
    """Facts are folded into what answers; the next rebuild leaves two generations, the active one right."""
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with ledger_bench(database_url, now) as bench:
        for number in range(RESULTS):
            await bench.post(points_order(UUID(int=number % 7), 5, now))
        await bench.settle()
        bench.clock.advance(timedelta(days=1))
        await bench.settle()

        await killed_at(point, database_url)
        assert await bench.count(ACTIVE) == POINTS[point]
        assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
        follow_active(bench, POINTS[point])
        await bench.post(points_order(UUID(int=3), 7, bench.clock.now()))
        assert await bench.settle() == 1
        assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
        assert sum(entry.points for entry in await bench.shown(Board.AMR)) == RESULTS * 5 + 7

        done = await Rebuild(database_url, Progress(), patience_s=0).run()
        found = await Verification(database_url, Progress()).run()

        assert (done.switched, done.faults.named, found.faults.named) == (True, [], [])
        assert await bench.count(ACTIVE) == done.generation == found.generation
        assert await bench.count("SELECT count(*) FROM board_state") == 2
        tables = (
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'ledger' AND tablename LIKE 'board\\_row%'"
        )
        assert await bench.count(tables) == 2


@pytest.mark.timeout(120)
async def test_a_rebuild_that_is_suspended_holding_the_boards_lets_go(database_url: str) -> None:
    """Live boards go on after seconds; awake again it fails, and changes nothing."""
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with ledger_bench(database_url, now) as bench:
        await bench.post(points_order(UUID(int=1), 5, now))
        await bench.settle()
        process = await begun(database_url, "rebuild.at_barrier:stop")
        while await bench.count(HOLDING) == 0:  # noqa: ASYNC110 another process sets no event
            await asyncio.sleep(0.05)
        await bench.post(points_order(UUID(int=1), 7, now))

        async with asyncio.timeout(30):
            assert await bench.settle() == 1
        process.send_signal(signal.SIGCONT)
        assert await process.wait() == 1

        assert await bench.count(ACTIVE) == 2
        assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
        assert (await Rebuild(database_url, Progress(), patience_s=0).run()).switched


async def test_folds_of_the_generation_that_was_left_change_nothing(database_url: str) -> None:
    """One in flight fails at its checkpoint; a later one cannot begin."""
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with ledger_bench(database_url, now) as bench:
        await bench.post(points_order(UUID(int=1), 5, now))
        await bench.settle()
        await Rebuild(database_url, Progress(), patience_s=0).run()
        await bench.post(points_order(UUID(int=1), 7, now))
        await bench.sequencer.step(EPOCH)

        with pytest.raises(Fenced):
            await bench.projector.step(EPOCH)  # claimed before the switch
        with pytest.raises(Fenced):
            await bench.projector.claim(EPOCH + 1)

        assert await bench.count("SELECT seq FROM checkpoint WHERE name = 'boards_g2'") == 2
        assert await bench.count("SELECT points FROM board_row_g2 WHERE board = 1") == 5
        assert await bench.count("SELECT points FROM board_row_g3 WHERE board = 1") == 5
        follow_active(bench, 3)
        assert await bench.settle() == 1
        assert await bench.count("SELECT points FROM board_row_g3 WHERE board = 1") == 12
