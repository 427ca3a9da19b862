"""`sparrow load` of races and of the pool: board after board, without an error."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
SECONDS = 8
"""A race has a countdown of three."""


@pytest.mark.parametrize(("mode", "kinds"), [("race", {"pair"}), ("pool", {"pair", "start"})])
async def test_bots_of_a_load_play_alone(sparrow_server: Installation, mode: str, kinds: set[str]) -> None:
    """Boards are begun, moves are accepted, and nothing is refused."""
    done = await asyncio.to_thread(
        sparrow_server.sparrow,
        *("load", "--mode", mode, "--players", "3", "--seconds", str(SECONDS), "--rate", "30", "--json"),
    )
    told = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert told["asked"]["mode"] == mode
    assert told["errors"] == {}
    assert told["games"] >= 3
    assert told["moves"]["accepted"] > 30
    assert kinds <= set(told["moves"]["by_kind"])
