"""A tournament whose processes die while a round is played: it ends on time, and every prize is paid once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.tournament import TournamentDemo, TournamentPlan
from libs.cli.demo.tournament_report import document
from libs.client.session import utc_now
from libs.client.tournament_views import TournamentStatus
from libs.runtime.tokens import mint_operator_token
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
COMMANDS = 25
"""So many accepted moves before each crash."""
WITHIN_S = 60.0


async def test_a_tournament_outlives_its_processes(sparrow_server: Installation) -> None:
    """First who serves is killed, then who works: bots find their tables again, and all is as recomputed."""
    key = Path(sparrow_server.data_dir) / "keys" / "operator.key"

    def token() -> str:
        return mint_operator_token(key, "tests", timedelta(minutes=1), utc_now())

    pace = Pace(think_ms=250, patience_s=30)
    plan = TournamentPlan(
        sparrow_server.endpoint, 6, 7, pace, live=False, multipliers=(3,), round_limit_s=9, pause_s=0
    )
    demo = TournamentDemo(plan, token)
    running = asyncio.create_task(demo.run())
    for part in ("serving", "worker"):
        enough = len(demo.journal.latencies_ms) + COMMANDS
        await until(lambda: len(demo.journal.latencies_ms) >= enough or running.done(), WITHIN_S)  # noqa: B023
        sparrow_server.kill(part)
    report = await running

    assert report.is_right, document(report)
    assert report.verdict.page.status is TournamentStatus.FINISHED
    assert [len(tables) for _multiplier, tables in report.verdict.rounds] == [2]
    assert sum(line.prize is not None for line in report.verdict.lines) >= 2
