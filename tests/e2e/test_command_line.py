"""The command line, as a person and as a script use it."""

from __future__ import annotations

import json
import re

import pytest

from libs.client.client import SparrowClient
from libs.rules.solitaire.board import free_tiles
from libs.rules.solitaire.levels import level_deal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(400)
NOBODY = "127.0.0.1:1"


def test_a_demo_ends_with_boards_equal_to_what_was_acknowledged(sparrow_server: Installation) -> None:
    """`sparrow demo --json` exits 0 and says what was played, how fast, and that all boards are right."""
    done = sparrow_server.sparrow("demo", "--players", "8", "--seconds", "6", "--seed", "7", "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert report["equal"] is True
    assert [board["board"] for board in report["boards"]] == ["amr", "weekly", "daily"]
    assert all(board["equal"] for board in report["boards"])
    assert report["levels_cleared"] > 0
    assert sum(report["boards"][0]["acknowledged"].values()) == report["points"] > 0
    assert report["commands"]["accepted"] > 50


def test_the_demo_for_people_shows_three_boards(sparrow_server: Installation) -> None:
    """Without --json the demo prints the boards as tables and its verdict in a sentence."""
    done = sparrow_server.sparrow("demo", "--players", "4", "--seconds", "3")

    assert done.returncode == 0, done.stdout + done.stderr
    assert all(title in done.stdout for title in ("AMR", "Weekly", "Daily"))
    assert "All three boards equal" in done.stdout


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_load_tells_moves_latency_and_errors(sparrow_server: Installation, processes: str) -> None:
    """`sparrow load --json` plays single player in one process or several, and says how that was taken."""
    done = sparrow_server.sparrow(
        "load", "--players", "4", "--seconds", "2", "--rate", "40", "--processes", processes, "--json"
    )

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert told["moves"]["accepted"] > 20
    assert sum(told["moves"]["by_kind"].values()) == told["moves"]["accepted"]
    assert 0 < told["latency_ms"]["p50"] <= told["latency_ms"]["p99"] <= told["latency_ms"]["max"]
    assert told["errors"] == {}


def test_a_load_of_quick_matches_finds_opponents(sparrow_server: Installation) -> None:
    """Pairs of bots meet, play, and the table for people says how much."""
    done = sparrow_server.sparrow("load", "--mode", "quick", "--players", "4", "--seconds", "8")

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"of them touch +\d+", done.stdout), done.stdout


def test_a_level_is_cleared_through_a_pipe(sparrow_server: Installation) -> None:
    """`sparrow play single` takes the pairs of the certificate from a pipe, then tells the result."""
    pairs = level_deal(2).certificate
    typed = "".join(f"{first} {second}\n" for first, second in pairs)

    done = sparrow_server.sparrow("play", "single", "--level", "2", "--profile", "piper", stdin=typed)

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"✓ Cleared in [\d.]+ s, place \d+: (10|15|20) points", done.stdout)


def test_a_person_may_lift_put_back_restart_and_leave(sparrow_server: Installation) -> None:
    """Each key does what the help says; nonsense and refusals cost a sentence, never the game."""
    deal = level_deal(5)
    free = free_tiles(deal.layout, deal.layout.full)[0]
    typed = f"{free}\np\np\n999\nx y z\n?\nr\nq\n"

    done = sparrow_server.sparrow("play", "single", "--level", "5", stdin=typed)

    said = done.stdout
    assert done.returncode == 0, said + done.stderr
    in_order = [
        "lifted",
        "Put back.",
        "No tile is lifted.",
        "is no tile",
        "A new attempt",
        "You left the level.",
    ]
    places = [said.find(sentence) for sentence in in_order]
    assert -1 not in places, said
    assert places == sorted(places)


async def test_boards_show_the_page_around_a_player(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """A profile that cleared a level finds itself with --around me, and its time among the bests."""
    typed = "".join(f"{first} {second}\n" for first, second in level_deal(5).certificate)
    sparrow_server.sparrow("play", "single", "--level", "5", "--profile", "seen", stdin=typed)

    around = sparrow_server.sparrow(
        "boards", "show", "weekly", "--around", "me", "--profile", "seen", "--json"
    )
    bests = sparrow_server.sparrow("levels", "best", "5", "--profile", "seen", "--json")

    rows = json.loads(around.stdout)["entries"]
    assert sorted(rows, key=lambda row: (-row["points"], row["player"])) == rows
    assert json.loads(bests.stdout)["own_ms"] > 0
    assert json.loads(bests.stdout)["bests"][0]["place"] == 1


def test_the_doctor_finds_everything_healthy(sparrow_server: Installation) -> None:
    """Exit code 0; services, PostgreSQL, NATS, feeds, loops and the ledger's day are all named."""
    done = sparrow_server.sparrow("doctor", "--json")

    report = json.loads(done.stdout)
    names = {check["name"] for check in report["checks"] if check["ok"]}
    assert done.returncode == 0, done.stdout
    assert {"processes", "endpoint", "service match", "PostgreSQL", "NATS", "loops", "ledger day"} <= names
    assert {"feed match.facts", "ledger ledger-intake", "ledger boards_g2"} <= names
    assert all(check["ok"] is not False for check in report["checks"])


@pytest.mark.parametrize(
    "command",
    [
        ["demo", "--seconds", "1"],
        ["play", "single"],
        ["boards", "show"],
        ["levels", "best", "1"],
    ],
    ids=lambda words: words[0],
)
def test_nothing_listening_is_one_clear_line(sparrow_server: Installation, command: list[str]) -> None:
    """Every command says how to start Sparrow where none answers, with exit code 1 and no traceback."""
    done = sparrow_server.sparrow(*command, "--endpoint", NOBODY)

    assert done.returncode == 1
    assert done.stderr.strip() == f"✗ Sparrow does not answer on {NOBODY} – start it with make run"  # noqa: RUF001
    assert "Traceback" not in done.stdout + done.stderr


def test_the_doctor_says_what_is_wrong(sparrow_server: Installation) -> None:
    """Exit code 1 where the endpoint does not answer, and the advice stands at the end."""
    done = sparrow_server.sparrow("doctor", "--endpoint", NOBODY)

    assert done.returncode == 1
    assert f"Sparrow does not answer on {NOBODY}" in done.stdout
