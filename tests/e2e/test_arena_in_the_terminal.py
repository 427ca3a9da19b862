"""`sparrow play arena` as a person sees it: rounds, the break, the standing so far, and the prizes."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.e2e.test_quick_match_in_the_terminal import SAID_WITHIN_S, terminal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(240)


async def test_a_person_plays_an_arena_against_bots(sparrow_server: Installation) -> None:
    """A round without doing anything, the break with the standing, leaving there, and the result of all."""
    async with terminal(
        sparrow_server, "play", "arena", "--bot", "--think", "100", "--profile", "cat"
    ) as shown:
        begun = await shown.until("Go.")
        assert re.search(
            r"Waiting for three others.*Arena against.*Round 1 of 3 commitment", begun, re.DOTALL
        )
        in_break = await shown.until("Round 2 of 3", within_s=120)
        shown.type("q")
        end = await shown.until(lambda said: said.count("account points") == 4)
        await asyncio.wait_for(shown.process.wait(), SAID_WITHIN_S)

    assert re.search(r"So far:\n\d\. ", in_break)
    assert "A break of 10 s." in end
    assert "You left the match; your score stays." in end
    assert re.search(r"The match:\n(.*\n)*\d\. You: 0 \(0 \+ 0\) · has left · \d+ account points", end)
    assert shown.process.returncode == 0
