"""One bot of a load: it plays as fast as it is answered, or at its own steady pace."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from libs.cli.demo.player import LEVELS
from libs.cli.load.tally import Tally
from libs.client.errors import ConflictError, SparrowError
from libs.client.lean import LeanBoard, LeanPlayer
from libs.client.tickets import QueueKind

RESTARTS_MAX = 2
AFTER_END = frozenset({"MATCH_ENDED", "NOT_STARTED"})
"""Why a move is refused that was on its way when an opponent ended the round."""
_SETTLE_S = 0.2


class LoadMode(StrEnum):
    """What the bots of a load play."""

    SINGLE = "single"
    QUICK = "quick"
    ARENA = "arena"
    RACE = "race"
    """Races alone, one after another."""
    QUEUE_RACE = "queue-race"
    """Races against whom the queue gives."""
    POOL = "pool"
    """Training in the pool."""
    TABLE = "table"
    """Deals of MCR against the AI."""
    ALL = "all"
    """Every mode at once."""


PLAYERS_MIN: Final = {LoadMode.QUICK: 2, LoadMode.ARENA: 4, LoadMode.QUEUE_RACE: 2, LoadMode.ALL: 12}
"""How many bots a mode takes, where one is not enough."""
QUEUE_OF: Final = {LoadMode.QUICK: QueueKind.QUICK, LoadMode.ARENA: QueueKind.ARENA}


def next_tiles(board: LeanBoard, peeked: set[int], rng: random.Random) -> Sequence[int]:
    """The tiles to touch next: a pair of free tiles, else one to look under; none when nothing helps.

    All free tiles are uncovered, so their faces are known: a pair is found in one pass, and the bot is cheap.
    """
    if not board.pair_available:
        return ()
    seen: dict[str, int] = {}
    for tile in board.free:
        face = board.faces.get(tile, "")
        if (other := seen.get(face)) is not None:
            if board.lifted == tile:
                return (other,)
            return (tile,) if board.lifted == other else (other, tile)
        seen[face] = tile
    unseen = [tile for tile in board.free if tile not in peeked and tile != board.lifted]
    return (rng.choice(unseen),) if unseen else ()


class Metronome:
    """When the moves of one bot are due. Without an interval, always now."""

    def __init__(self, interval_s: float, first_due_s: float) -> None:
        """Instants are those of the event loop's clock."""
        self._interval_s = interval_s
        self._due_s = first_due_s

    async def next_due(self) -> float:
        """Wait until the next move is due, and return that instant: a late move counts from there too."""
        now = asyncio.get_running_loop().time()
        if not self._interval_s:
            return now
        due, self._due_s = self._due_s, self._due_s + self._interval_s
        if due > now:
            await asyncio.sleep(due - now)
        return due

    def begin_again(self) -> None:
        """Make the next move due now: nothing was due while the bot waited for others."""
        self._due_s = asyncio.get_running_loop().time()


@dataclass
class LoadPlayer:
    """One bot and what it counts."""

    player: LeanPlayer
    mode: LoadMode
    tally: Tally
    metronome: Metronome
    rng: random.Random
    stop: asyncio.Event
    _peeked: set[int] = field(default_factory=set)

    async def play(self) -> None:
        """Play one board after another until told to stop."""
        play_board = self._play_level if self.mode is LoadMode.SINGLE else self._play_match
        while not self.stop.is_set():
            try:
                await play_board()
            except SparrowError as error:
                self.tally.errors[error.reason] += 1
                await asyncio.sleep(_SETTLE_S)

    async def _play_level(self) -> None:
        level = self.rng.choice(LEVELS)
        if not await self._move("start", lambda: self.player.start_level(level)):
            return
        self.tally.games += 1
        for _ in range(RESTARTS_MAX):
            await self._play_board()
            if self.stop.is_set() or not self._board.is_running:
                return
            await self._move("restart", self.player.restart)
        await self._play_board()
        if self._board.is_running and not self.stop.is_set():
            await self._move("leave", self.player.leave)

    async def _play_match(self) -> None:
        """Find opponents, wait for the signal, play, and stay until it is over, whatever rounds it has."""
        name = await self.player.queue(QUEUE_OF[self.mode])
        began = asyncio.Event()
        watching = asyncio.create_task(self.player.watch(name, began))
        try:
            while not watching.done():
                await began.wait()
                self.metronome.begin_again()
                if self.player.board is None or self._board.is_over:
                    break
                if self._board.is_running:
                    self.tally.games += 1
                    await self._play_board()
                    if self.mode is LoadMode.QUICK and self._board.is_running and not self.stop.is_set():
                        await self._move("leave", self.player.leave)
                await self._until_round_is_over(watching)
                if self.stop.is_set():
                    return
                if not self._board.is_over:  # the bot's own move may have told it before the stream does
                    began.clear()
            await watching
        finally:
            watching.cancel()

    async def _until_round_is_over(self, watching: asyncio.Task[None]) -> None:
        """Wait while others play on: a bot without a move goes out by itself."""
        while not watching.done() and self._board.state_is_running and not self.stop.is_set():  # noqa: ASYNC110
            await asyncio.sleep(_SETTLE_S)

    async def _play_board(self) -> None:
        """Touch tiles until nothing helps any more."""
        self._peeked.clear()
        while self._board.is_running and not self.stop.is_set():
            tiles = next_tiles(self._board, self._peeked, self.rng)
            if not tiles:
                return
            if not await self._touch(tiles[0]):
                continue
            if len(tiles) == 1:
                self._peeked.add(tiles[0])
            elif (lifted := self._board.lifted) == tiles[0]:
                await self._touch(tiles[1])
            elif lifted is not None:  # a tile that is free only while another is lifted: put that one back
                await self._touch(lifted)

    async def _touch(self, tile: int) -> bool:
        return await self._move("touch", lambda: self.player.touch(tile))

    async def _move(self, kind: str, send: Callable[[], Awaitable[None]]) -> bool:
        """Send a move when it is due and count it; where it failed, ask how the board stands."""
        clock = asyncio.get_running_loop()
        due_s = await self.metronome.next_due()
        if self.stop.is_set():
            return False
        try:
            await send()
        except SparrowError as error:
            if self.mode in QUEUE_OF and error.reason in AFTER_END:
                self.tally.after_end += 1
            else:
                self.tally.errors[error.reason] += 1
            if self.player.board is not None:
                if not isinstance(error, ConflictError):
                    await asyncio.sleep(_SETTLE_S)
                await self.player.refresh()
            return False
        if not self.stop.is_set():
            self.tally.accept(kind, (clock.time() - due_s) * 1000)
        return True

    @property
    def _board(self) -> LeanBoard:
        assert self.player.board is not None, "a match was begun"
        return self.player.board
