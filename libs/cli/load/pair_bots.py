"""The bots of a load of races or of the pool: two free tiles that match are one command.

They play alone, so that nobody waits for anybody: races of a group of one, one after another, and training
in the pool, deal after deal; stakes would run out. Races of the queue are a mode of their own: its bots wait
for each other, up to ten seconds for every race.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from libs.cli.bot import free_pair
from libs.cli.load.player import AFTER_END, LoadMode, Metronome
from libs.cli.load.tally import Tally
from libs.cli.waiting import find_match
from libs.client.calls import LIST_DEADLINE_S, Retries
from libs.client.client import SparrowClient
from libs.client.errors import SparrowError
from libs.client.pools import PoolGame, PoolOutcome, PoolState
from libs.client.race_views import Difficulty, RaceState
from libs.client.races import RaceGame
from libs.client.tickets import QueueKind

T = TypeVar("T")

SHUFFLES_MAX: Final = 5
"""Of a game of the pool."""
_SETTLE_S: Final = 0.2


@dataclass
class PairBot:
    """One bot and what it counts. A try that failed and was sent again counts as an error too."""

    client: SparrowClient
    mode: LoadMode
    tally: Tally
    metronome: Metronome
    stop: asyncio.Event
    _group: str | None = None

    async def play(self) -> None:
        """Play one board after another until told to stop."""
        play_board = {
            LoadMode.RACE: self._play_race,
            LoadMode.QUEUE_RACE: self._play_queue_race,
            LoadMode.POOL: self._play_pool,
        }[self.mode]
        while not self.stop.is_set():
            try:
                await play_board()
            except SparrowError as error:
                self.tally.errors[error.reason] += 1
                await asyncio.sleep(_SETTLE_S)

    async def _play_race(self) -> None:
        """Race alone. Making the group, starting, and the countdown are not counted."""
        if self._group is None:
            self._group = (await self.client.races.create_group(Difficulty.HARD)).name
        await self._race(await self.client.races.start(self._group))

    async def _play_queue_race(self) -> None:
        """Race whom the queue gives. Waiting and the countdown are not counted."""
        name = await find_match(self.client, QueueKind.RACE, self.stop)
        if name is not None:
            await self._race(await self.client.races.game(name))

    async def _race(self, race: RaceGame) -> None:
        """Race until nothing can be done any more; give up when told to stop."""
        self.tally.games += 1
        while race.view.state is RaceState.COUNTDOWN and not self.stop.is_set():
            await asyncio.sleep(_SETTLE_S)
            await race.refresh()
        self.metronome.begin_again()
        while race.view.state is RaceState.RUNNING and not self._is_out(race) and not self.stop.is_set():
            if not await self._move_in_race(race):
                await race.refresh()
        if race.view.state is not RaceState.OVER and not self._is_out(race):
            with suppress(SparrowError):
                await race.give_up()

    def _is_out(self, race: RaceGame) -> bool:
        """Whether the own part is over, though others may go on."""
        return race.view.board.is_cleared or race.view.stuck

    async def _move_in_race(self, race: RaceGame) -> bool:
        pair, view = free_pair(race.view.board), race.view
        if pair is not None:
            return await self._move("pair", lambda: race.remove(*pair)) is not None
        if view.shuffles_left == 0:  # blocked for good: the race is over without a command
            return False
        return await self._move("shuffle", race.shuffle) is not None

    async def _play_pool(self) -> None:
        """Train on a deal to its end; what is under way when the load ends is ended, which is not counted."""
        game = await self._move("start", self.client.pools.train)
        if game is None:
            return
        self.tally.games += 1
        while game.is_playing and game.state is PoolState.RUNNING and not self.stop.is_set():
            if not await self._move_in_pool(game):
                await game.refresh()
        if game.is_playing:
            with suppress(SparrowError):
                await self._leave_training(game)

    async def _leave_training(self, game: PoolGame) -> None:
        """End a game in the middle: there must be no shuffle left, or the last one was impossible."""
        await game.refresh()
        while game.is_playing and game.uses.shuffles < SHUFFLES_MAX:
            if (await game.shuffle()).outcome is PoolOutcome.SHUFFLE_IMPOSSIBLE:
                break
        if game.is_playing:
            await game.end()

    async def _move_in_pool(self, game: PoolGame) -> bool:
        pair = free_pair(game.board)
        if pair is not None:
            return await self._move("pair", lambda: game.remove(*pair)) is not None
        if game.uses.shuffles < SHUFFLES_MAX:
            shuffled = await self._move("shuffle", game.shuffle)
            if shuffled is None or shuffled.outcome is not PoolOutcome.SHUFFLE_IMPOSSIBLE:
                return shuffled is not None
        return await self._move("end", game.end) is not None

    async def _move(self, kind: str, send: Callable[[], Awaitable[T]]) -> T | None:
        """Send a command when it is due and count it; none where it failed, or nothing is to be sent."""
        clock = asyncio.get_running_loop()
        due_s = await self.metronome.next_due()
        if self.stop.is_set():
            return None
        try:
            answer = await send()
        except SparrowError as error:
            if self.mode is LoadMode.QUEUE_RACE and error.reason in AFTER_END:
                self.tally.after_end += 1
            else:
                self.tally.errors[error.reason] += 1
            await asyncio.sleep(_SETTLE_S)
            return None
        if not self.stop.is_set():
            self.tally.accept(kind, (clock.time() - due_s) * 1000)
        return answer


async def connect(target: str, tally: Tally) -> SparrowClient:
    """Sign in as a new player; what a command of it fails of is counted, however often it is tried again."""

    def count(error: SparrowError) -> None:
        tally.errors[error.reason] += 1

    return await SparrowClient.connect(target, retries=Retries(for_s=4 * LIST_DEADLINE_S, on_retry=count))
