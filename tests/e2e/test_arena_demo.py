"""Arenas of a demo: right on the boards through a crash, and verified from their events."""

from __future__ import annotations

import asyncio
import json

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.report import document
from libs.cli.demo.run import Demo, Plan
from libs.client.rounds import Mode
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
PLAYERS = 8
COMMANDS = 150
"""So many accepted commands before the crash, and again after it."""
WITHIN_S = 90.0


async def test_arenas_survive_a_crash_and_can_be_verified(sparrow_server: Installation) -> None:
    """Two tables, a serving process that dies, bots that leave at the end: boards and events agree."""
    pace = Pace(think_ms=20, patience_s=30)
    plan = Plan(sparrow_server.endpoint, PLAYERS, WITHIN_S, seed=11, pace=pace, live=False, arena=PLAYERS)
    demo = Demo(plan)
    running = asyncio.create_task(demo.run())
    await until(lambda: _accepted(demo) >= COMMANDS or running.done(), WITHIN_S)
    sparrow_server.kill("serving")
    enough = _accepted(demo) + COMMANDS
    await until(lambda: _accepted(demo) >= enough or running.done(), WITHIN_S)
    demo.stop.set()
    report = await running
    matches = sorted({match for match, _player in demo.journal.seats})

    assert report.equal, document(report)
    assert demo.journal.matches(Mode.ARENA) == len(matches) == PLAYERS // 4
    assert demo.journal.points > 0
    for match in matches:
        done = await asyncio.to_thread(sparrow_server.sparrow, "verify", match, "--json")
        assert (done.returncode, json.loads(done.stdout)["ok"]) == (0, True), done.stdout


def _accepted(demo: Demo) -> int:
    return len(demo.journal.latencies_ms)
