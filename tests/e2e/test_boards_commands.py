"""`sparrow boards` against a real installation: movement, the past, what a standing is made of, a picture."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation, wait_until

pytestmark = pytest.mark.timeout(400)
PROFILE = ("--profile", "charted")
BOARDS_WITHIN_S = 10.0


def test_a_claimed_bonus_is_shown_explained_and_drawn(sparrow_server: Installation, tmp_path: Path) -> None:
    """Ten points: a new row today, one contribution with its key, a bar in the terminal and in the SVG."""

    def ask(*arguments: str) -> Any:
        done = sparrow_server.sparrow(*arguments, *PROFILE, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    ask("bonus", "claim")
    wait_until(
        lambda: ask("boards", "explain", "me", "daily")["points"] == 10,
        BOARDS_WITHIN_S,
        sparrow_server.output,
    )
    explained = ask("boards", "explain", "me", "daily")
    shown = ask("boards", "show", "amr", "--around", "me")
    out = tmp_path / "year.svg"
    history = ask("boards", "chart", "me", "--days", "30", "--out", str(out))
    today = ask("boards", "show", "daily", "--day", history[-1]["day"])
    past = ask("boards", "show", "amr", "--as-of", datetime.now(UTC).isoformat())
    drawn = sparrow_server.sparrow("boards", "chart", "me", *PROFILE)
    early = sparrow_server.sparrow("boards", "show", "--as-of", "2020-01-01T00:00:00Z", *PROFILE)

    assert {row["previous_rank"] for row in shown["entries"]} == {None}
    assert [each["reason"] for each in explained["contributions"]] == ["DAILY_BONUS"]
    assert (history[-1]["points"], history[-1]["amr_points"], len(history)) == (10, 10, 30)
    assert out.read_text(encoding="utf-8").startswith("<svg")
    assert min(row["rank"] for row in today["entries"]) == 1 <= explained["rank"]
    assert past["player_count"] >= 1
    assert "█" in drawn.stdout
    assert early.returncode == 1
    assert "No board was shown" in early.stderr
