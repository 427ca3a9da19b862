"""The bot of `sparrow play pool --bot`: it sees what a seat may see, and takes the best pair it sees."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import combinations
from typing import Final

from libs.cli.demo.again import play_again
from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError, SparrowError
from libs.client.pools import PoolGame, PoolState
from libs.client.tickets import QueueKind

USES_MAX: Final = 5
LOOK_EVERY_S: Final = 0.2
BONUS: Final = ("Fl", "Se")
VALUES: Final = {"m": 1, "p": 2, "s": 3, "W": 4, "D": 5, "F": 6, "S": 7}


class PoolBot:
    """A player of its own that waits for one match and plays it."""

    def __init__(self, client: SparrowClient, think_s: float) -> None:
        """Use `enter`."""
        self.client = client
        self._think_s = think_s
        self._playing = asyncio.create_task(self._play())

    @classmethod
    async def enter(cls, target: str, think_s: float) -> PoolBot:
        """Sign in as a new player and wait in the queue."""
        return cls(await SparrowClient.connect(target, retries=Retries(for_s=30)), think_s)

    async def leave(self) -> None:
        """Stop waiting or playing, and close the connection."""
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)
        await self.client.close()

    async def _play(self) -> None:
        waiting = await self.client.queue(QueueKind.POOL)
        name: str | None
        try:
            name = await waiting.match()
        except asyncio.CancelledError:
            with suppress(SparrowError):
                await waiting.cancel()
            raise
        while name is not None:
            game = await self.client.pools.game(name)
            await self._play_match(game)
            name = await self._play_again(game)

    async def _play_again(self, game: PoolGame) -> str | None:
        """Play again whenever the others want to."""
        while game.state is not PoolState.OVER:
            await asyncio.sleep(LOOK_EVERY_S)
            await game.refresh()
        return await play_again(self.client, game.name, asyncio.Event(), wants=True)

    async def _play_match(self, game: PoolGame) -> None:
        following = asyncio.create_task(_follow(game))
        try:
            await play_out(game, self._think_s)
        finally:
            following.cancel()
            if game.is_playing and game.state is PoolState.RUNNING:
                with suppress(SparrowError):
                    await game.leave()


async def play_out(game: PoolGame, think_s: float) -> None:
    """Play a game from the countdown to the end of the own part, thinking so long before every move."""
    while game.is_playing and game.state is not PoolState.RUNNING:
        await asyncio.sleep(0.1)
        await game.refresh()
    while game.is_playing:
        await asyncio.sleep(think_s)
        with suppress(RefusedError):  # the time may just be up
            await _move(game)
        if game.is_playing and game.state is PoolState.OVER:
            return


async def _move(game: PoolGame) -> None:
    pair = best_visible_pair(game)
    if pair is not None:
        await game.remove(*pair)
    elif game.uses.shuffles < USES_MAX and len(game.board.free) > 1:
        await game.shuffle()
    else:
        await game.leave()


def best_visible_pair(game: PoolGame) -> tuple[int, int] | None:
    """The available pair of the highest value, as far as faces are seen: those of free tiles always are."""
    faces = game.board.faces
    pairs = [
        (first, second)
        for first, second in combinations(sorted(game.board.free), 2)
        if faces[first] == faces[second] or (faces[first][:2] in BONUS and faces[second][:2] in BONUS)
    ]
    return max(pairs, key=lambda pair: max(_value(faces[tile]) for tile in pair), default=None)


def _value(face: str) -> int:
    return VALUES[face[1] if face[0].isdecimal() else face[0]]


async def _follow(game: PoolGame) -> None:
    with suppress(SparrowError):
        async for _state in game.follow():
            pass
