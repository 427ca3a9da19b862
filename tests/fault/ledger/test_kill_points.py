"""A ledger process dies by SIGKILL at each point of midnight and boards; the next one goes on from there."""

from __future__ import annotations

import asyncio
import signal
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from libs.runtime.embedded.keys import ensure_keys
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.windows import Board
from services.ledger.events import LedgerDayClosed
from tests.support.ledger_bench import ledger_bench, points_order
from tests.support.ledger_process import ledger_process, until_all_is_folded

POINTS = (
    "day.before",
    "day.closed",
    "day.rolling",
    "day.rolled",
    "boards.effect_in:kill:2",  # the first batch after the opening
    "boards.commit_sent:kill:2",
    "boards.committed:kill:2",
)
RESULTS = 30


@pytest.mark.timeout(120)
@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_costs_no_result_and_doubles_none(point: str, database_url: str, tmp_path: Path) -> None:
    """Died by the signal at the point; afterwards one closing, every result once, tables as recomputed."""
    ensure_keys(tmp_path)
    now = datetime.now(UTC)
    async with ledger_bench(database_url, now) as bench:
        for number in range(RESULTS):
            await bench.post(points_order(UUID(int=number % 7), 5, now))
        async with asyncio.timeout(60):
            armed = point if ":" in point else f"{point}:kill"
            async with ledger_process(database_url, tmp_path, armed) as doomed:
                assert await doomed.wait() == -signal.SIGKILL
            async with ledger_process(database_url, tmp_path):
                await until_all_is_folded(bench)

        closings = [fact for _, fact in await bench.log() if isinstance(fact, LedgerDayClosed)]
        assert len(closings) == len({fact.day for fact in closings}) >= 1
        assert sum(entry.points for entry in await bench.shown(Board.AMR)) == RESULTS * 5
        assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
        assert await bench.reader.as_of_day() in {ledger_day(now), ledger_day(datetime.now(UTC))}
        await bench.check_tables()
