"""The pool on a real installation: bots play for a pot, chips move; a person plays in the terminal."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from libs.cli.play.pool_bot import play_out
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.pools import PoolGame, PoolState
from libs.client.tickets import QueueKind
from tests.e2e.test_quick_match_in_the_terminal import SAID_WITHIN_S, terminal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(240)

WELCOME = 1_000
"""Chips of a new profile."""


async def chips(client: SparrowClient) -> int:
    """How many chips a player has."""
    return (await client.wallet.balances()).chips


async def welcomed(*clients: SparrowClient) -> None:
    """Wait until the ledger has heard of the profiles."""
    async with asyncio.timeout(20):
        for client in clients:
            while await chips(client) < WELCOME:  # noqa: ASYNC110 the ledger tells nobody
                await asyncio.sleep(0.1)


async def play(client: SparrowClient) -> PoolGame:
    """Wait for a match and play it as the bot does, to the end of all."""
    name = await (await client.queue(QueueKind.POOL)).match()
    game = await client.pools.game(name)
    seen = [game.board.faces]
    following = asyncio.create_task(_to_the_end(game))
    await play_out(game, 0.0)
    await asyncio.wait_for(following, 60)
    await game.refresh()
    assert not seen[0], "no face was shown before the signal"
    return game


async def _to_the_end(game: PoolGame) -> None:
    async for state in game.follow():
        if state is PoolState.OVER:
            return


async def test_bots_play_for_a_pot_and_the_chips_move(
    client: SparrowClient, sparrow_server: Installation
) -> None:
    """Stakes in, the pot out: together they have as many chips as before."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as rival:
        await welcomed(client, rival)
        mine, theirs = await asyncio.wait_for(asyncio.gather(play(client), play(rival)), 120)
        assert mine.result is not None
        paid = {seat.player: seat.payout for seat in mine.result.seats}
        async with asyncio.timeout(20):
            while await chips(client) + await chips(rival) < 2 * WELCOME:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        held = {each.profile.name: await chips(each) for each in (client, rival)}
    verified = await asyncio.to_thread(sparrow_server.sparrow, "verify", mine.name, "--json")

    found = json.loads(verified.stdout)
    assert found["ok"], verified.stdout
    assert found["findings"][-1]["what"] == "escrow"
    assert mine.name == theirs.name
    assert mine.result == theirs.result
    assert not mine.result.is_void
    assert sum(paid.values()) == 200
    assert held == {player: WELCOME - 100 + payout for player, payout in paid.items()}
    best = max(seat.score for seat in mine.result.seats)
    assert all(bool(seat.payout) == (seat.score == best) for seat in mine.result.seats)


async def test_training_can_be_played_undone_shuffled_and_restarted(client: SparrowClient) -> None:
    """Through the client library."""
    game = await client.pools.train()
    hinted = await game.hint()
    assert hinted.pair is not None
    before = game.board
    paired = await game.remove(*hinted.pair)
    assert game.own.score == paired.worth - 360
    await game.undo()
    assert (game.board.present, game.board.faces) == (before.present, before.faces)
    await game.shuffle()
    with pytest.raises(RefusedError, match="SHUFFLE_LEFT"):
        await game.end()
    again = await game.restart()
    assert again.board.faces == before.faces
    assert (await again.restart(new_deal=True)).commitment != again.commitment


RESULT = r"\d\. You: -?\d+ points · left · \d+ chips\n"


async def test_a_person_plays_the_pool_against_a_bot(sparrow_server: Installation) -> None:
    """From the queue over a hint and a pair to the result in chips."""
    async with terminal(
        sparrow_server, "play", "pool", "--bot", "--think", "50", "--profile", "pat"
    ) as shown:
        await shown.until("72 pairs left", within_s=90)
        shown.type("h")
        hint = await shown.until("The best pair:")
        found = re.search(r"The best pair: (\d+) (\d+)", hint)
        assert found is not None
        shown.type(f"{found[1]} {found[2]}")
        await shown.until("A pair:")
        shown.type("q")
        end = await shown.until(lambda said: re.search(RESULT, said) is not None, within_s=120)
        shown.type("q")
        await asyncio.wait_for(shown.process.wait(), SAID_WITHIN_S)

    assert re.search(r"Pool, against .*, stake 100 chips", end)
    assert shown.process.returncode == 0


async def test_a_person_trains_in_the_terminal(sparrow_server: Installation) -> None:
    """Help, refusals by name, restart, and leaving."""
    async with terminal(sparrow_server, "play", "pool", "--train", "--profile", "tia") as shown:
        await shown.until("72 pairs left")
        shown.type("u")
        await shown.until("There is no pair to take back.")
        shown.type("e")
        await shown.until("You can still shuffle.")
        shown.type("s")
        await shown.until("Shuffled: a pair is there. It cost 360.")
        shown.type("r")
        await shown.until(lambda said: said.count("0 points, 72 pairs left") >= 3)
        shown.type("q")
        await asyncio.wait_for(shown.process.wait(), SAID_WITHIN_S)

    assert shown.process.returncode == 0
