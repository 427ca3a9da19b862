"""Clearing a level as a bot would, for tests that need a finished one."""

from __future__ import annotations

import random

from libs.cli.bot import GiveUp, Peek, TakePair, choose
from libs.client.game import Game
from libs.client.results import GameState

ATTEMPTS_MAX = 40


async def clear(game: Game, seed: int = 1) -> Game:
    """Play until the level is cleared, starting again whenever blocked; return the attempt that did it."""
    rng = random.Random(seed)
    for attempt in range(ATTEMPTS_MAX):
        if await _attempt(game, rng, whim=attempt / 2):
            return game
        game = await game.restart()
    raise AssertionError(f"{ATTEMPTS_MAX} attempts did not clear level {game.level}")


async def _attempt(game: Game, rng: random.Random, whim: float) -> bool:
    peeked: set[int] = set()
    while game.state is GameState.RUNNING:
        match choose(game.board, frozenset(peeked), rng, whim):
            case TakePair((first, second)):
                if game.board.lifted != first:
                    await game.touch(first)
                await game.touch(second)
                peeked.clear()
            case Peek(tile):
                peeked.add(tile)
                await game.touch(tile)
            case GiveUp():
                return False
    return game.state is GameState.CLEARED
