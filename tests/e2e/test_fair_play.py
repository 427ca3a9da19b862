"""Bots of the demo at two paces on a whole Sparrow: an operator sees which ones no person could be."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.run import Demo, Plan
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(240)
WITHIN_S = 30.0


async def _told(installation: Installation, *arguments: str) -> Any:
    done = await asyncio.to_thread(installation.sparrow, *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return json.loads(done.stdout)


async def _bots(installation: Installation, seconds: float, think_ms: int) -> set[str]:
    """Let two bots play levels; return their names."""
    pace = Pace(think_ms, patience_s=30)
    report = await Demo(Plan(installation.endpoint, 2, seconds, seed=3, pace=pace, live=False)).run()
    assert report.equal
    return set(report.players)


async def test_bots_at_a_pace_of_no_person_are_flagged_and_human_like_ones_are_not(
    sparrow_server: Installation,
) -> None:
    """10 ms a touch against half a second; an operator's picture of each tells its pace."""
    human = await _bots(sparrow_server, 8, think_ms=500)
    inhuman = await _bots(sparrow_server, 20, think_ms=10)
    flagged = set[str]()
    async with asyncio.timeout(WITHIN_S):
        while not inhuman <= flagged:
            found = await _told(sparrow_server, "operator", "flags", "--most", "200")
            flagged = {each["player"] for each in found["flags"]}
        (first,) = (await _told(sparrow_server, "operator", "flags", "--player", min(inhuman)))["flags"]
    reason = "[bold]It is a demo."
    dismissed = await _told(
        sparrow_server, "operator", "flags", "dismiss", first["name"], "--reason", reason, "--as", "ivy"
    )
    still = await _told(sparrow_server, "operator", "flags", "--player", min(inhuman))
    both = await asyncio.to_thread(sparrow_server.sparrow, "operator", "flags", "--dismissed")
    one, other = min(inhuman), min(human)
    shown = await asyncio.to_thread(sparrow_server.sparrow, "operator", "players", one)
    told = await _told(sparrow_server, "operator", "players", other)

    assert (dismissed["name"], dismissed["dismissed_by"]) == (first["name"], "ivy")
    assert dismissed["dismissal_reason"] == reason
    assert still["flags"] == []
    assert "dismissed by ivy: [bold]" in " ".join(both.stdout.split())
    assert not human & flagged
    assert "too fast" in shown.stdout
    assert "No reports." in shown.stdout
    assert told["flags"] == []
    (figures,) = told["statistics"]
    assert figures["mode"] == "level"
    assert sum(pairs for under, pairs in figures["pace"] if 0 < under <= 300) * 2 < figures["pairs"]


async def test_a_player_reports_another_and_an_operator_closes_it(sparrow_server: Installation) -> None:
    """With words that are shown as they are; afterwards no report is open."""
    (bot, _other) = await _bots(sparrow_server, 3, think_ms=10)
    words = "[bold]never sleeps"
    made = await _told(sparrow_server, "report", bot, "automation", "--text", words)
    again = await asyncio.to_thread(sparrow_server.sparrow, "report", bot, "automation")
    shown = await asyncio.to_thread(sparrow_server.sparrow, "operator", "reports")
    (listed,) = (await _told(sparrow_server, "operator", "reports", "--player", bot))["reports"]
    closed = await _told(sparrow_server, "operator", "close-report", made["report"], "--finding", "a bot")

    assert (listed["name"], listed["player"], listed["reason"]) == (made["report"], bot, "automation")
    assert listed["text"] == words
    assert "[bold]" in shown.stdout
    assert again.returncode == 1
    assert (closed["closed_by"], closed["finding"]) == ("operator", "a bot")
    assert (await _told(sparrow_server, "operator", "reports", "--player", bot))["reports"] == []
