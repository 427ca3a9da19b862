"""Tournaments in the terminal: bots play one whole, an operator makes, ends and cancels others."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.tournament import TournamentDemo, TournamentPlan
from libs.cli.demo.tournament_report import document
from libs.client.session import utc_now
from libs.client.tournament_views import TournamentEnding
from libs.runtime.tokens import mint_operator_token
from tests.support.installation import Installation, wait_until
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
COMMANDS = 10
CREATE = (
    "--title", "Evening", "--duration-s", "600", "--minimum", "2", "--maximum", "8",
    "--rounds", "1,2", "--prize", "100,2,evening", "--prize", "50",
)  # fmt: skip


def told(server: Installation, *arguments: str) -> Any:
    """What a command of tournaments tells programs."""
    done = server.sparrow("tournaments", *arguments, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def played(sparrow_server: Installation) -> dict[str, Any]:
    """What a demo of seven of whom one stays away tells programs."""
    done = sparrow_server.sparrow(
        "demo", "tournament", "--players", "7", "--absent", "1", "--rounds", "2",
        "--round-limit", "6", "--pause", "0", "--think-ms", "150", "--seed", "5", "--json",
    )  # fmt: skip
    report: dict[str, Any] = json.loads(done.stdout)
    return {**report, "exit_code": done.returncode}


def test_bots_play_a_tournament_and_all_of_it_is_right(played: dict[str, Any]) -> None:
    """TP, places and prizes are as recomputed, by what clients are shown and by the events."""
    told_right = played["exit_code"], played["right"], played["status"]

    assert told_right == (0, True, "finished"), played
    assert (played["rounds"], played["tables"]) == (1, 2)
    assert played["points"] > 0
    assert (played["steps"], list(played["steps_late_ms"])) == (3, ["p99", "max"]), "opening, start, seating"
    assert played["standing"][0]["prize"] == {"points": 100, "jokers": 2, "cup": "demo"}
    assert [finding["what"] for finding in played["findings"]] == ["events", "rules", "tables", "prizes"]


def test_a_voided_result_takes_the_prize_back(sparrow_server: Installation, played: dict[str, Any]) -> None:
    """Standing, prizes and ledger agree on it soon after."""
    before = {line["player"]: line["points"] for line in played["standing"]}
    voided = told(sparrow_server, "void", played["tournament"], "--round", "1", "--table", "0")
    wait_until(lambda: _is_verified(sparrow_server, played["tournament"]), 20, sparrow_server.output)
    after = told(sparrow_server, "show", played["tournament"])["standing"]
    verified = sparrow_server.sparrow("verify", played["tournament"], "--json")

    assert voided["status"] == "finished"
    assert sum(line["points"] for line in after) < sum(before.values())
    assert all(line["points"] in {0, before[line["player"]]} for line in after)
    assert "0 of them taken back" not in json.loads(verified.stdout)["findings"][-1]["claimed"]


def _is_verified(server: Installation, tournament: str) -> bool:
    return server.sparrow("verify", tournament).returncode == 0


async def test_a_demo_that_is_told_to_stop_has_the_operator_end_it(sparrow_server: Installation) -> None:
    """What was played by then counts as it stands, and prizes are paid."""
    key = sparrow_server.data_dir / "keys" / "operator.key"
    pace = Pace(think_ms=150, patience_s=30)
    plan = TournamentPlan(sparrow_server.endpoint, 3, 7, pace, live=False)
    demo = TournamentDemo(plan, lambda: mint_operator_token(key, "tests", timedelta(minutes=1), utc_now()))
    running = asyncio.create_task(demo.run())
    await until(lambda: len(demo.journal.latencies_ms) >= COMMANDS or running.done(), 60)
    demo.stop.set()
    report = await running

    assert report.is_right, document(report)
    assert report.verdict.page.ending is TournamentEnding.OPERATOR
    assert report.verdict.lines[0].prize is not None


def test_players_enter_and_leave_and_an_operator_cancels(sparrow_server: Installation) -> None:
    """Created, entered, shown, left, listed, cancelled, watched to its end."""
    name = told(sparrow_server, "create", *CREATE, "--in", "3600")["name"]
    entered = told(sparrow_server, "register", name)
    shown = sparrow_server.sparrow("tournaments", "show", name)
    left = told(sparrow_server, "withdraw", name)
    listed = told(sparrow_server, "list")
    cancelled = told(sparrow_server, "cancel", name, "--because", "fault")
    watched = sparrow_server.sparrow("tournaments", "watch", name, "--json")

    assert (entered["registered"], entered["own"]["registered"]) == (1, True)
    assert "Evening" in shown.stdout
    assert "You are in." in shown.stdout
    assert (left["registered"], left["own"]["registered"]) == (0, False)
    assert name in {each["name"] for each in listed}
    assert (cancelled["status"], cancelled["cancelling"]) == ("cancelled", "operator")
    assert json.loads(watched.stdout.splitlines()[-1])["tournament"]["status"] == "cancelled"


def test_a_series_is_laid_down_by_a_file_and_stopped(sparrow_server: Installation, tmp_path: Path) -> None:
    """What lays nothing down is refused in one line."""
    file = tmp_path / "weekly.toml"
    file.write_text(
        'title = "Weekly"\nfirst_day = 2036-12-01\nclock = "20:00"\nrecurrence = "FREQ=WEEKLY;BYDAY=SU"\n'
        'duration_s = 600\nminimum = 2\nmaximum = 8\nmultipliers = [1]\nprizes = [{cup = "week"}]\n',
        encoding="utf-8",
    )
    kept = told(sparrow_server, "series", str(file))
    stopped = told(sparrow_server, "stop-series", kept["name"])
    refused = sparrow_server.sparrow("tournaments", "create", *CREATE[:2], "--in", "60")

    assert (kept["clock"], kept["going"], stopped["going"]) == ("20:00", True, False)
    assert refused.returncode == 1
    assert "a tournament needs duration_s" in refused.stderr
