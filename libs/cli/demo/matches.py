"""Bots of a demo that play against each other: they wait for others, play, and keep their points."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from libs.cli.demo.again import WANTS_AGAIN, play_again
from libs.cli.demo.journal import Acknowledged
from libs.cli.demo.player import BotPlayer
from libs.client.errors import RefusedError, SparrowError
from libs.client.game import LIVE, Game
from libs.client.results import GameState, Update
from libs.client.rounds import SeatResult
from libs.client.tickets import QueueKind

WHIM = 0.5
FAILURES_MAX = 5
"""A seat that is out is refused whatever it tries."""
_LOOK_S = 0.1


@dataclass
class MatchPlayer(BotPlayer):
    """One bot of a table. Of every match it keeps what the server said its seat got."""

    kind: ClassVar[QueueKind]
    wants_again: ClassVar[float] = WANTS_AGAIN
    _failures: int = 0

    async def play(self) -> None:
        """Play matches until told to stop, then leave the running one and see it end."""
        while not self.stop.is_set():
            self.status = "waits for others"
            game = await self._find()
            while game is not None:
                await self._play_match(game)
                game = await self._play_again(game)
        self.status = "done"

    async def _find(self) -> Game | None:
        """Find a match. Told to stop meanwhile: none, or the match that was found at that very moment."""
        finding = asyncio.create_task(self.client.find_match(self.kind))
        stopping = asyncio.create_task(self.stop.wait())
        await asyncio.wait({finding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not finding.done():
            finding.cancel()
        try:
            return await finding
        except asyncio.CancelledError:
            return await self._found_after_all()
        except RefusedError:  # the ticket ran out: nobody came
            return None

    async def _play_again(self, game: Game) -> Game | None:
        """The rematch of a match, if both want one."""
        if game.rematch_until is None or self.stop.is_set():
            return None
        self.status = "is asked for a rematch"
        wants = self.rng.random() < self.wants_again
        name = await play_again(self.client, game.name, self.stop, wants=wants)
        if name is None:
            return None
        self.journal.rematches.add(name)
        return await self.client.game(name)

    async def _found_after_all(self) -> Game | None:
        async for summary in self.client.games():
            return await self.client.game(summary.name) if summary.state in LIVE else None
        return None

    async def _play_match(self, game: Game) -> None:
        self.game, self._failures = game, 0
        self.journal.attempts += 1
        watching = asyncio.create_task(self._follow(game))
        try:
            while game.state in LIVE:
                await self._play_round(game)
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError, SparrowError):
                await watching
        self._note_result(game)

    async def _play_round(self, game: Game) -> None:
        """Wait for the signal, play, wait until the round is over. Of several, leave only when told to."""
        has_left = False

        async def leave() -> None:
            nonlocal has_left
            has_left = True
            await self._command(game.leave)

        self.status = "counts down" if game.state is GameState.COUNTDOWN else "has a break"
        while game.state in (GameState.COUNTDOWN, GameState.BREAK):
            if self.stop.is_set() and game.state is GameState.BREAK and not has_left:
                await leave()
            await self._while(game, game.state, self.stop if not has_left else None)
        self.status = "plays a match"
        self._failures = 0
        await self._play_attempt(game, WHIM)
        self.status = "waits for the end"
        while game.state is GameState.RUNNING:
            stays = game.round is not None and not self.stop.is_set()
            if not has_left and not stays and self._failures < FAILURES_MAX:
                await leave()
            await self._while(game, GameState.RUNNING, self.stop if not has_left else None)

    async def _while(self, game: Game, state: GameState, unless: asyncio.Event | None) -> None:
        """Wait until the match has left a state, or something happens that did not happen before.

        The stream tells; asking now and then makes up for it.
        """
        looks, was_set = 0, unless is not None and unless.is_set()
        while game.state is state:
            await asyncio.sleep(_LOOK_S)
            if unless is not None and unless.is_set() and not was_set:
                return
            looks += 1
            if looks % 20 == 0:
                await self._settle(game)

    async def _follow(self, game: Game) -> None:
        async for _ in game.watch():
            continue

    async def _command(self, send: Callable[[], Awaitable[Update]]) -> None:
        doubts = self.journal.doubts
        await super()._command(send)
        self._failures = self._failures + 1 if self.journal.doubts > doubts else 0

    def _goes_on(self, game: Game) -> bool:
        return super()._goes_on(game) and self._failures < FAILURES_MAX

    def _note_result(self, game: Game) -> None:
        """Put the end of a match into the journal, once."""
        told = game.standings if game.round is not None else game.round_result and game.round_result.seats
        if not told or game.end_time is None or game.name in self._noted:
            return
        self._noted.add(game.name)
        own = next(seat for seat in told if seat.player == self.player)
        self.journal.ended(Acknowledged(game.name, self.player, 0, game.end_time, own, game.mode))
        self.cleared += isinstance(own, SeatResult) and own.cleared
        self.points += own.points


class QuickPlayer(MatchPlayer):
    """One bot of a pair."""

    kind = QueueKind.QUICK


class ArenaPlayer(MatchPlayer):
    """One bot of four."""

    kind = QueueKind.ARENA
