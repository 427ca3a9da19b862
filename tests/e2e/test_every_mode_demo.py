"""A demo of races and pool matches: ratings and chips are right, through a crash and when stopped early."""

from __future__ import annotations

import asyncio

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.report import document
from libs.cli.demo.run import Demo, Plan
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
WITHIN_S = 90.0


async def test_ratings_and_chips_survive_a_crash(sparrow_server: Installation) -> None:
    """A serving process dies after the first race and the first pot; both go on, and nothing is lost."""
    pace = Pace(think_ms=10, patience_s=30)
    plan = Plan(sparrow_server.endpoint, 6, WITHIN_S, seed=5, pace=pace, live=False, race=2, pool=4)
    demo = Demo(plan)
    journal = demo.journal
    running = asyncio.create_task(demo.run())
    await until(lambda: bool(journal.races and journal.pots) or running.done(), WITHIN_S)
    sparrow_server.kill("serving")
    enough = len(journal.races) + 2
    await until(lambda: len(journal.races) >= enough or running.done(), WITHIN_S)
    demo.stop.set()
    report = await running

    told = document(report)
    assert report.equal, told
    assert told["races"] >= enough
    assert len(told["ratings"]) == 2
    assert told["pots"] >= 1
    assert sum(told["chips"].values()) == sum(journal.chips_before.values()) > 0
