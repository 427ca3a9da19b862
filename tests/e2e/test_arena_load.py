"""`sparrow load --mode arena`: eight bots at two tables, round after round, without an error."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(240)
SECONDS = 40
"""Long enough for second rounds: a round lasts some seconds to clear or 20 s to give up, a break ten."""


async def test_bots_of_a_load_play_arenas(sparrow_server: Installation) -> None:
    """Boards of later rounds count as begun, moves are accepted, and nothing is refused."""
    done = await asyncio.to_thread(
        sparrow_server.sparrow,
        *("load", "--mode", "arena", "--players", "8", "--seconds", str(SECONDS), "--rate", "60", "--json"),
    )
    told = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert told["asked"]["mode"] == "arena"
    assert told["errors"] == {}
    assert told["games"] > 8
    assert told["moves"]["accepted"] > 100
    assert set(told["moves"]["by_kind"]) == {"touch"}


async def test_an_arena_load_takes_four(sparrow_server: Installation) -> None:
    """Fewer would wait for ever."""
    done = await asyncio.to_thread(sparrow_server.sparrow, "load", "--mode", "arena", "--players", "3")

    assert done.returncode != 0
    assert "An arena takes four" in done.stdout + done.stderr
