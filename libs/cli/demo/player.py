"""One bot: registers, plays level after level, and never forgets a command whose reply was lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from libs.cli.bot import GiveUp, Peek, TakePair, choose
from libs.cli.demo.journal import Acknowledged, Journal
from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.errors import (
    ConflictError,
    LimitError,
    RefusedError,
    ServerFaultError,
    SparrowError,
    UnreachableError,
)
from libs.client.game import Game
from libs.client.results import GameState, Update

T = TypeVar("T")

ATTEMPTS_PER_LEVEL = 5
LEVELS = (*range(1, 41), *range(100, 600, 100))
"""Small boards, most of which a bot clears at the first attempt, and a few that take several."""


@dataclass(frozen=True)
class Pace:
    """How a demo's bots play: think between touches, keep trying while nothing answers."""

    think_ms: int
    patience_s: float


@dataclass
class BotPlayer:
    """One bot and where it is."""

    name: str
    client: SparrowClient
    journal: Journal
    pace: Pace
    rng: random.Random
    stop: asyncio.Event
    game: Game | None = None
    cleared: int = 0
    points: int = 0
    status: str = "starting"
    _peeked: set[int] = field(default_factory=set)
    _noted: set[str] = field(default_factory=set)

    @property
    def player(self) -> str:
        """Its name on the boards: "players/<uuid>"."""
        return self.client.profile.name

    async def play(self) -> None:
        """Play until told to stop, then leave the running attempt."""
        while not self.stop.is_set():
            await self._play_level(self.rng.choice(LEVELS))
        if self.game is not None and self.game.state is GameState.RUNNING:
            await self._command(self.game.leave)
        self.status = "done"

    async def _play_level(self, level: int) -> None:
        self.game = await self._timed(lambda: self.client.start_level(level))
        if self.game is None:
            return
        for attempt in range(ATTEMPTS_PER_LEVEL):
            self.journal.attempts += 1
            self.status = "playing"
            await self._play_attempt(self.game, whim=0.5 + attempt)
            if self.game.state is GameState.CLEARED or self.stop.is_set():
                return
            if attempt + 1 < ATTEMPTS_PER_LEVEL:
                self.status = "starts again"
                self.journal.restarts += 1
                again = await self._timed(self.game.restart)
                if again is None:
                    return
                self.game = again
        await self._command(self.game.leave)

    async def _play_attempt(self, game: Game, whim: float) -> None:
        """Touch tiles until the board is cleared or blocked."""
        self._peeked.clear()
        while self._goes_on(game):
            match choose(game.board, frozenset(self._peeked), self.rng, whim):
                case TakePair((first, second)):
                    if game.board.lifted != first:
                        await self._touch(game, first)
                    if game.board.lifted == first:
                        await self._touch(game, second)
                    self._peeked.clear()
                case Peek(tile):
                    self._peeked.add(tile)
                    await self._touch(game, tile)
                case GiveUp():
                    return

    def _goes_on(self, game: Game) -> bool:
        return game.state is GameState.RUNNING and not self.stop.is_set()

    async def _touch(self, game: Game, tile: int) -> None:
        if self.pace.think_ms:
            await asyncio.sleep(self.pace.think_ms * self.rng.uniform(0.5, 1.5) / 1000)
        await self._command(lambda: game.touch(tile))
        self._note_result(game)

    async def _command(self, send: Callable[[], Awaitable[Update]]) -> None:
        """Send a command of the running game; where its outcome is in doubt, ask how the game stands."""
        if await self._timed(send) is None and self.game is not None:
            await self._settle(self.game)

    async def _timed(self, send: Callable[[], Awaitable[T]]) -> T | None:
        """Return the answer and note how long it took; none where the outcome is in doubt."""
        began = self.journal.monotonic()
        try:
            answer = await send()
        except (ConflictError, RefusedError, ServerFaultError, UnreachableError) as error:
            self.status = f"asks again: {error.reason}"
            self.journal.doubts += 1
            return None
        except LimitError as error:
            await asyncio.sleep((error.retry_after_ms or 200) / 1000)
            return None
        self.journal.accepted((self.journal.monotonic() - began) * 1000)
        return answer

    async def _settle(self, game: Game) -> None:
        """Learn how the game stands, for as long as the patience lasts."""
        deadline = self.journal.monotonic() + self.pace.patience_s
        while True:
            try:
                await game.refresh()
            except ServerFaultError:
                if self.journal.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.2)
            else:
                self._note_result(game)
                return

    def _note_result(self, game: Game) -> None:
        """Put a cleared level into the journal, once."""
        if game.result is None or game.end_time is None or game.name in self.journal.results:
            return
        self.journal.cleared(Acknowledged(game.name, self.player, game.level, game.end_time, game.result))
        self.cleared += 1
        self.points += game.result.points


async def register(
    kind: type[BotPlayer],
    target: str,
    number: int,
    journal: Journal,
    pace: Pace,
    seed: int,
    stop: asyncio.Event,
) -> BotPlayer:
    """Make a new player on the server and give it a bird's name; `kind` is what it plays."""

    def note_retry(_error: SparrowError) -> None:
        journal.retries += 1

    retries = Retries(for_s=pace.patience_s, on_retry=note_retry)
    client = await SparrowClient.connect(target, retries=retries)
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 a game, no secret
    name = f"{_BIRDS[number % len(_BIRDS)]} {client.profile.name[-5:]}"
    await client.rename(name)
    return kind(name, client, journal, pace, rng, stop)


_BIRDS = (
    "Wren",
    "Robin",
    "Siskin",
    "Linnet",
    "Dunnock",
    "Swift",
    "Martin",
    "Plover",
    "Curlew",
    "Avocet",
    "Hoopoe",
    "Oriole",
    "Shrike",
    "Nuthatch",
    "Treecreeper",
    "Goldcrest",
)
