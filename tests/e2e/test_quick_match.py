"""Two clients find each other and follow their quick match to its end."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.game import Game
from libs.client.results import GameState, Update
from libs.client.rounds import Ending, Out
from libs.client.tickets import TicketState
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


async def _play(game: Game) -> list[Update]:
    """Lift a tile once the faces are there, leave, and read on until it is over."""
    updates: list[Update] = []
    async for message in game.watch():
        if isinstance(message, Update):
            updates.append(message)
            if message.state is GameState.RUNNING and message.round_score is not None and len(updates) == 1:
                await game.touch(min(game.board.free))
                await game.leave()
        else:
            assert message.state is not GameState.COUNTDOWN or not message.board.faces
    return updates


async def test_two_clients_find_each_other_and_play(
    client: SparrowClient, sparrow_server: Installation
) -> None:
    """One match, faces only after the signal, an end for both, and both may queue again."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as rival:
        waiting = await client.queue()
        assert waiting.ticket.state is TicketState.WAITING
        assert waiting.ticket.expire_time - waiting.ticket.create_time == timedelta(minutes=5)
        mine, theirs = await asyncio.gather(client.find_match(), rival.find_match())
        assert mine.name == theirs.name
        assert mine.commitment == theirs.commitment != ""
        with pytest.raises(RefusedError, match="ALREADY_SEATED"):
            await client.queue()
        updates = await asyncio.wait_for(asyncio.gather(_play(mine), _play(theirs)), 60)
        again = await client.queue()
        await again.cancel()

    assert {update.state for seen in updates for update in seen} == {GameState.RUNNING, GameState.OVER}
    for game in (mine, theirs):
        assert game.state is GameState.OVER
        assert game.round_result is not None
        assert game.round_result.ending is Ending.ALL_OUT
        assert [seat.points for seat in game.round_result.seats] == [0, 0]
        assert [opponent.out for opponent in game.opponents] == [Out.LEFT]
    assert again.ticket.state is TicketState.CANCELLED
