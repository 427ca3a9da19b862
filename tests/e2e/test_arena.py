"""Four clients find each other, play an arena to its end, and stand on the year's board."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import AsyncExitStack

import pytest

from libs.cli.bot import GiveUp, Peek, TakePair, choose
from libs.client.client import SparrowClient
from libs.client.errors import ConflictError, RefusedError
from libs.client.game import LIVE, Game
from libs.client.results import BoardKind, GameState, Update
from libs.client.rounds import Mode
from libs.client.tickets import QueueKind
from libs.client.watching import Snapshot
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
PLAYERS = 4
PAIRS_MAX = 4
"""A bot stops after so many pairs: rounds end 20 s later."""


async def _follow(game: Game, into: list[Snapshot | Update]) -> None:
    async for message in game.watch():
        into.append(message)  # noqa: PERF401 seen while it grows


async def _play_round(game: Game, rng: random.Random) -> None:
    """Take a few pairs, as far as the board lets one."""
    peeked: set[int] = set()
    pairs = 0
    while game.state is GameState.RUNNING and pairs < PAIRS_MAX:
        try:
            match choose(game.board, frozenset(peeked), rng, 0.5):
                case TakePair((first, second)):
                    if game.board.lifted != first:
                        await game.touch(first)
                    if game.board.lifted == first:
                        await game.touch(second)
                    pairs, peeked = pairs + 1, set()
                case Peek(tile):
                    peeked.add(tile)
                    await game.touch(tile)
                case GiveUp():
                    return
        except (ConflictError, RefusedError):
            return


async def _play(game: Game, number: int) -> list[Snapshot | Update]:
    """Play all rounds; the last player leaves in the second one. Return what the stream told."""
    told: list[Snapshot | Update] = []
    following = asyncio.create_task(_follow(game, told))
    rng = random.Random(number)
    for expected in (1, 2, 3):
        await until(lambda: _plays(game, expected) or following.done(), 60)  # noqa: B023 awaited here
        await _play_round(game, rng)
        if (expected, number) == (2, PLAYERS - 1):
            await game.leave()
    await asyncio.wait_for(following, 90)
    return told


def _plays(game: Game, number: int) -> bool:
    """Whether a round is played, or the match has gone beyond it."""
    if game.state not in LIVE:
        return True
    return game.round is not None and game.round.number == number and game.state is GameState.RUNNING


async def test_four_bots_play_an_arena_to_the_boards(sparrow_server: Installation) -> None:
    """Three rounds on three deals over one stream each, one result for all, its prizes on the boards."""
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(await SparrowClient.connect(sparrow_server.endpoint))
            for _ in range(PLAYERS)
        ]
        games = await asyncio.gather(*(client.find_match(QueueKind.ARENA) for client in clients))
        assert len({game.name for game in games}) == 1
        assert {game.mode for game in games} == {Mode.ARENA}
        told = await asyncio.gather(*(_play(game, number) for number, game in enumerate(games)))
        await _points_are_on_the_board(clients[0], games[0])
        [listed] = [summary async for summary in clients[0].games()]
    snapshots = [[m for m in messages if isinstance(m, Snapshot)] for messages in told]
    verified = await asyncio.to_thread(sparrow_server.sparrow, "verify", games[0].name, "--json")

    assert (listed.mode, listed.state) == (Mode.ARENA, GameState.OVER)
    assert [seat.score for seat in listed.standings] == [seat.score for seat in games[0].standings]
    for seen, game in zip(snapshots, games, strict=True):
        assert [each.seats.round.number for each in seen if each.seats.round] == [1, 2, 3]
        assert not any(each.board.faces for each in seen if each.state is not GameState.RUNNING)
        assert len({each.seats.commitment for each in seen}) == 3
        assert (game.state, game.standings) == (GameState.OVER, games[0].standings)
    standings = games[0].standings
    assert [seat.left for seat in standings].count(True) == 1
    assert all(seat.score == sum(seat.round_scores) and len(seat.round_scores) == 3 for seat in standings)
    assert 0 < sum(seat.points for seat in standings) <= 140
    assert json.loads(verified.stdout)["ok"], verified.stdout


async def _points_are_on_the_board(client: SparrowClient, game: Game) -> None:
    """Wait until the prizes have reached the three boards."""
    expected = {seat.player: seat.points for seat in game.standings if seat.points}
    for kind in (BoardKind.AMR, BoardKind.WEEKLY, BoardKind.DAILY):
        async with asyncio.timeout(30):
            while True:
                rows = {entry.player: entry.points async for entry in client.board(kind, page_size=100)}
                if {player: rows.get(player) for player in expected} == expected:
                    break
                await asyncio.sleep(0.2)
