"""A demo of MCR tables: discards and table points are those that were acknowledged, through a crash."""

from __future__ import annotations

import asyncio

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.report import document
from libs.cli.demo.run import Demo, Plan
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
WITHIN_S = 60.0


async def test_table_points_survive_a_crash(sparrow_server: Installation) -> None:
    """A serving process dies in the middle of deals, of one person and of four; boards show their points."""
    bots = {"table": 1, "queue_table": 4}
    plan = Plan(sparrow_server.endpoint, 5, WITHIN_S, seed=7, pace=Pace(5, 30), live=False, **bots)
    demo = Demo(plan)
    journal = demo.journal
    running = asyncio.create_task(demo.run())
    await until(lambda: len(journal.latencies_ms) > 20 or running.done(), WITHIN_S)
    sparrow_server.kill("serving")
    deals = journal.tables.deals
    await until(lambda: {len(deal.points) for deal in deals.values()} == {1, 4} or running.done(), WITHIN_S)
    demo.stop.set()
    report = await running

    told = document(report)
    assert report.equal, told
    assert told["deals"] >= 2
    assert told["commands"]["accepted"] > 20
    assert not journal.tables.lost
