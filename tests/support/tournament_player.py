"""Players of tournaments by the client library: they follow one, and play what they are seated for."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing

from libs.cli.bot import GiveUp, Peek, TakePair, choose
from libs.client.client import SparrowClient
from libs.client.errors import ConflictError, RefusedError
from libs.client.game import Game
from libs.client.results import GameState
from libs.client.tournament_views import SeenTournament
from tests.support.waiting import until

PAIRS_MAX = 3
"""A player rests after so many pairs, until the round is over."""


async def take_part(client: SparrowClient, name: str, number: int) -> tuple[list[SeenTournament], list[Game]]:
    """Follow a tournament to its end; return what was told, and the games at the own tables."""
    told: list[SeenTournament] = []
    playing: dict[str, asyncio.Task[Game]] = {}
    rng = random.Random(number)
    async with aclosing(client.tournaments.watch(name)) as stream:
        async for seen in stream:
            told.append(seen)
            own = seen.tournament.own
            assert own is not None, "a player's stream tells how that one stands to it"
            if own.match is not None and own.match not in playing:
                playing[own.match] = asyncio.create_task(_play(client, own.match, rng))
    return told, list(await asyncio.gather(*playing.values()))


async def _play(client: SparrowClient, name: str, rng: random.Random) -> Game:
    """Take a few pairs at the own table, and see the round's end."""
    game = await client.game(name)
    following = asyncio.create_task(_follow(game))
    await until(lambda: game.state is not GameState.COUNTDOWN, 60)
    peeked: set[int] = set()
    pairs = 0
    while game.state is GameState.RUNNING and pairs < PAIRS_MAX:
        try:
            match choose(game.board, frozenset(peeked), rng, 0.5):
                case TakePair((first, second)):
                    await game.touch(first)
                    if game.board.lifted == first:
                        await game.touch(second)
                    pairs, peeked = pairs + 1, set()
                case Peek(tile):
                    peeked.add(tile)
                    await game.touch(tile)
                case GiveUp():
                    break
        except (ConflictError, RefusedError):
            break
    await asyncio.wait_for(following, 90)
    return game


async def _follow(game: Game) -> None:
    async for _message in game.watch():
        pass
