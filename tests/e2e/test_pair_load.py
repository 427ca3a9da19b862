"""`sparrow load` of races, of the pool, of MCR tables, and of all modes: nothing is refused."""

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


async def test_bots_of_a_load_play_deals_of_mcr(sparrow_server: Installation) -> None:
    """Each sits down and answers; nothing is refused."""
    done = await asyncio.to_thread(
        sparrow_server.sparrow,
        *("load", "--mode", "table", "--players", "3", "--seconds", "6", "--json"),
    )
    told = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert (told["errors"], told["games"] >= 3) == ({}, True)
    assert set(told["moves"]["by_kind"]) == {"act", "start"}
    assert told["moves"]["by_kind"]["act"] > 5


async def test_bots_of_a_load_race_whom_the_queue_gives(sparrow_server: Installation) -> None:
    """Eight fill a race, which begins at once; nothing is refused."""
    done = await asyncio.to_thread(
        sparrow_server.sparrow,
        *("load", "--mode", "queue-race", "--players", "8", "--seconds", "8", "--rate", "24", "--json"),
    )
    told = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert (told["errors"], told["games"] >= 8) == ({}, True)
    assert told["moves"]["by_kind"]["pair"] > 30


async def test_bots_of_a_load_play_every_mode_at_once(sparrow_server: Installation) -> None:
    """Each has bots of its own and is told apart; what is counted of all is their sum."""
    done = await asyncio.to_thread(
        sparrow_server.sparrow,
        *("load", "--mode", "all", "--players", "18", "--seconds", "20", "--rate", "30", "--json"),
    )
    told = json.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert set(told["modes"]) == {"single", "quick", "arena", "race", "queue-race", "pool", "table"}
    assert told["errors"] == {}
    assert all(each["moves"]["accepted"] > 0 for each in told["modes"].values()), told
    assert told["moves"]["accepted"] == sum(each["moves"]["accepted"] for each in told["modes"].values())
