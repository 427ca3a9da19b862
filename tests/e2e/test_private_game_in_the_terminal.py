"""`sparrow play quick --invite` and `--code`, and `sparrow matches` afterwards, on terminals."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from tests.e2e.test_quick_match_in_the_terminal import FREE, SAID_WITHIN_S, terminal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(150)


async def test_a_friend_comes_by_the_code_and_both_look_back_at_the_match(
    sparrow_server: Installation,
) -> None:
    """One opens a game, the other types its code; both leave, nobody is paid, and the history tells it."""
    async with terminal(sparrow_server, "play", "quick", "--invite", "--profile", "hana") as ana:
        said = await ana.until(lambda text: re.search(r"Invitation code: \w{8}\.", text) is not None)
        code = said.split("Invitation code: ")[1][:8]
        async with terminal(sparrow_server, "play", "quick", "--code", code, "--profile", "hugo") as ben:
            for each in (ana, ben):
                await each.until(lambda text: FREE.search(text) is not None)
                each.type("q")
            for each in (ana, ben):
                await asyncio.wait_for(each.process.wait(), SAID_WITHIN_S)
    listed = await asyncio.to_thread(sparrow_server.sparrow, "matches", "list", "--profile", "hana", "--json")
    [match] = json.loads(listed.stdout)
    shown = await asyncio.to_thread(
        sparrow_server.sparrow, "matches", "show", match["name"], "--profile", "hugo"
    )

    assert [seat["points"] for seat in match["round_result"]["seats"]] == [0, 0]
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("left") >= 2
