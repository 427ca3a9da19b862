"""A table of MCR on a whole Sparrow leaves points on the right board, is told again, and is proved right."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(180)
OWN_BOARD, OTHER_BOARDS = "mcr_ai_daily", ("mcr_daily", "daily")
WAIT_S = 15.0


def told(installation: Installation, *arguments: str) -> Any:
    """Return the document of a command that finds nothing wrong."""
    done = installation.sparrow(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def played(sparrow_server: Installation) -> dict[str, Any]:
    """A table of the command line's own player against the AI, as it is listed once it has closed."""
    done = sparrow_server.sparrow("mcr", "play", "--auto", timeout_s=120)
    assert done.returncode == 0, done.stdout + done.stderr
    until = time.monotonic() + WAIT_S
    while not (listed := told(sparrow_server, "tables", "list")) and time.monotonic() < until:
        time.sleep(0.2)
    newest: dict[str, Any] = listed[0]
    return newest


def points_on(installation: Installation, board: str, player: str) -> int | None:
    """The points of a player on a board; None where they are not listed."""
    page = told(installation, "boards", "show", board, "--rows", "200")
    rows = {each["player"]: each["points"] for each in page["entries"]}
    return rows.get(player)


def test_the_points_stand_on_the_board_against_the_ai_also_once_it_is_rebuilt(
    sparrow_server: Installation, played: dict[str, Any]
) -> None:
    """On no board of persons or of account points; rebuilt and live boards are the same."""
    seat = played["table"]["seats"][played["own_seat"]]
    player, points = seat["player"], seat["points"] or None
    until = time.monotonic() + WAIT_S
    while points_on(sparrow_server, OWN_BOARD, player) != points and time.monotonic() < until:
        time.sleep(0.2)
    rebuilt = told(sparrow_server, "ledger", "rebuild")
    sound = told(sparrow_server, "ledger", "verify")

    assert (rebuilt["switched"], rebuilt["fault_count"], rebuilt["error"]) == (True, 0, "")
    assert points_on(sparrow_server, OWN_BOARD, player) == points
    assert [points_on(sparrow_server, board, player) for board in OTHER_BOARDS] == [None, None]
    assert sound["ok"]


def test_its_deal_is_told_again_to_the_player_alone(
    sparrow_server: Installation, played: dict[str, Any]
) -> None:
    """As it was seen, or openly; in lines for people, with the promise of the wall checked."""
    name, (row,) = played["table"]["name"], played["table"]["rows"]
    then = told(sparrow_server, "tables", "show", name)
    openly = told(sparrow_server, "tables", "show", name, "--open")
    lines = sparrow_server.sparrow("tables", "show", name)
    stranger = sparrow_server.sparrow("tables", "show", name, "--profile", "stranger")

    dealt = [each["steps"][0]["deal"]["seats"] for each in (then, openly)]
    assert [sum(bool(seat["hand"]) for seat in seats) for seats in dealt] == [1, 4]
    assert then["steps"][-1]["deal"]["outcome"] == row["outcome"]
    assert len(then["steps"]) < len(openly["steps"])
    assert "deal 1 of 1" in lines.stdout
    assert ": kept" in " ".join(lines.stdout.split())
    assert stranger.returncode == 1
    assert "another player" in stranger.stderr


def test_it_is_proved_right_and_runs_again(sparrow_server: Installation, played: dict[str, Any]) -> None:
    """Wall, actions, scores, totals, and what the ledger booked."""
    found = told(sparrow_server, "verify", played["table"]["name"])
    again = told(sparrow_server, "replay")

    parts = [each["what"] for each in found["findings"]]
    assert parts == ["events", "table", "deal 1", "totals", "points"]
    assert again["tables"] >= 1
    assert again["deals"] >= again["tables"]
