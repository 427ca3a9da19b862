"""Rematches at the end of `sparrow play quick` and `play pool`, and private pool matches, on terminals."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.e2e.test_quick_match_in_the_terminal import FREE, SAID_WITHIN_S, Terminal, terminal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(300)
AGAIN = "Type r for a rematch"


async def make_a_move(shown: Terminal) -> None:
    """Take a hint on a pool board, which is a move."""
    await shown.until(lambda text: re.search(r"^free: ", text, re.MULTILINE) is not None)
    shown.type("h")
    await shown.until("The best pair:")


async def test_two_friends_play_a_private_pool_match_and_another_for_the_same_stake(
    sparrow_server: Installation,
) -> None:
    """The stake is agreed to first; at the end both type r, and sit in the next match."""
    opened = ("play", "pool", "--invite", "--stake", "60", "--profile", "ana")
    async with terminal(sparrow_server, *opened) as ana:
        said = await ana.until(lambda text: re.search(r"Invitation code: \w{8} ", text) is not None)
        code = said.split("Invitation code: ")[1][:8]
        joining = ("play", "pool", "--code", code, "--profile", "ben")
        async with terminal(sparrow_server, *joining) as blind:
            await blind.until("This game is for 60 chips")
            await asyncio.wait_for(blind.process.wait(), SAID_WITHIN_S)
        async with terminal(sparrow_server, *joining, "--stake", "60") as ben:
            for each in (ana, ben):
                await make_a_move(each)
            for each in (ana, ben):
                each.type("q")
            for each in (ana, ben):
                await each.until(AGAIN)
                each.type("r")
            for each in (ana, ben):
                await each.until(lambda text: text.count("stake 60 chips") == 2)
                each.type("q")  # before the signal it is not read: then it leaves
            for each in (ana, ben):
                await asyncio.wait_for(each.process.wait(), 60)

    assert f"{AGAIN} for 60 chips" in ana.said
    assert "A rematch." in ben.said
    assert len(set(re.findall(r"commitment\s+([0-9a-f]{64})", ana.said))) == 2


async def test_a_bot_plays_the_person_again_when_r_is_typed(sparrow_server: Installation) -> None:
    """A person who is out after 20 s without a pair has not left: the offer comes with the end."""
    async with terminal(
        sparrow_server, "play", "quick", "--bot", "--think", "10000", "--profile", "cat"
    ) as shown:
        await shown.until(AGAIN, within_s=90)
        before = len(shown.said)
        shown.type("r")
        again = await shown.until(lambda text: FREE.search(text) is not None, since=before)
        shown.type("q")
        await asyncio.wait_for(shown.process.wait(), SAID_WITHIN_S)

    assert "A rematch." in again
    assert len(set(re.findall(r"commitment\s+([0-9a-f]{64})", shown.said))) == 2
    assert shown.process.returncode == 0


async def test_strangers_of_the_queue_race_again(sparrow_server: Installation) -> None:
    """Both give up, hear what the other wants, and meet on another board."""
    async with (
        terminal(sparrow_server, "play", "race", "--queue", "--profile", "dan") as dan,
        terminal(sparrow_server, "play", "race", "--queue", "--profile", "eva") as eva,
    ):
        for each in (dan, eva):
            await each.until(lambda text: FREE.search(text) is not None)
            each.type("q")
        await dan.until(AGAIN)
        await eva.until(AGAIN)
        dan.type("r")
        await eva.until("Somebody wants a rematch.")
        eva.type("r")
        for each in (dan, eva):
            await each.until(lambda text: text.count("Type two tile numbers") == 2)
            each.type("q")
        for each in (dan, eva):
            await each.until(lambda text: text.count(AGAIN) == 2)
            each.type("q")
            await asyncio.wait_for(each.process.wait(), SAID_WITHIN_S)

    assert len(set(re.findall(r"^Race  (matches/\S+)", dan.said, re.MULTILINE))) == 2
    assert (dan.process.returncode, eva.process.returncode) == (0, 0)
