"""Bots of a demo that play the pool for a pot of chips."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from libs.cli.bot import free_pair
from libs.cli.demo.again import WANTS_AGAIN, play_again
from libs.cli.demo.journal import Pot
from libs.cli.demo.player import BotPlayer
from libs.cli.waiting import find_match
from libs.client.errors import RefusedError, ServerFaultError
from libs.client.pools import PoolGame, PoolMove, PoolOutcome, PoolState
from libs.client.tickets import QueueKind

SHUFFLES_MAX = 5
OTHERS_END_S = 20.0
"""How long a match may go on without the bots; somebody else may sit in it."""
_LOOK_S = 0.2


@dataclass
class PoolPlayer(BotPlayer):
    """One bot of two to four. Of every match it keeps what the server said everybody got."""

    async def play(self) -> None:
        """Play for pots until told to stop, then leave the running match and see it end."""
        await self._await_welcome()
        while not self.stop.is_set():
            self.status = "waits for others"
            try:
                name = await find_match(self.client, QueueKind.POOL, self.stop)
                game = None if name is None else await self.client.pools.game(name)
            except RefusedError:  # no chips for another stake
                await super().play()
                return
            except ServerFaultError:
                await asyncio.sleep(_LOOK_S)
                continue
            while game is not None:
                await self._play_match(game)
                game = await self._play_again(game)
        self.status = "done"

    async def _await_welcome(self) -> None:
        """Wait for the chips of a new profile, and remember how many they are."""
        while not self.stop.is_set():
            with suppress(ServerFaultError):
                if chips := (await self.client.wallet.balances()).chips:
                    self.journal.chips_before[self.player] = chips
                    return
            await asyncio.sleep(_LOOK_S)

    async def _play_again(self, game: PoolGame) -> PoolGame | None:
        """The rematch of a match for the same stake, if enough want one."""
        result = game.result
        if result is None or result.rematch_until is None or self.stop.is_set():
            return None
        self.status = "is asked for a rematch"
        wants = self.rng.random() < WANTS_AGAIN
        name = await play_again(self.client, game.name, self.stop, wants=wants)
        if name is None:
            return None
        self.journal.rematches.add(name)
        try:
            return await self.client.pools.game(name)
        except (RefusedError, ServerFaultError):
            return None  # it is found again as the match that is played

    async def _play_match(self, game: PoolGame) -> None:
        self.journal.attempts += 1
        self.status = "counts down"
        while game.is_playing and game.state is not PoolState.RUNNING:
            await asyncio.sleep(_LOOK_S)
            await self._look(game)
        self.status = "plays for a pot"
        while game.is_playing and not self.stop.is_set():
            await self._move(game)
        if game.is_playing:
            await self._timed(game.leave)
        self.status = "waits for the end"
        if await self._see_end(game):
            self._note_pot(game)
        else:
            seats = (game.own, *game.opponents)
            self.journal.unended[game.name] = frozenset(seat.player for seat in seats)

    async def _move(self, game: PoolGame) -> None:
        """Take a pair of equal faces, shuffle where there is none, leave where that helps no more."""
        if self.pace.think_ms:
            await asyncio.sleep(self.pace.think_ms * self.rng.uniform(0.5, 1.5) / 1000)
        pair = free_pair(game.board)
        told: PoolMove | None
        if pair is not None:
            told = await self._timed(lambda: game.remove(*pair))
        elif game.uses.shuffles < SHUFFLES_MAX:
            told = await self._timed(game.shuffle)
            if told is not None and told.outcome is PoolOutcome.SHUFFLE_IMPOSSIBLE:
                told = await self._timed(game.leave)
        else:
            told = await self._timed(game.leave)
        if told is None:
            await self._look(game)

    async def _see_end(self, game: PoolGame) -> bool:
        """Wait until the match is over; false where it still goes on long after the demo."""
        left_s = OTHERS_END_S
        while game.result is None:
            await asyncio.sleep(_LOOK_S)
            await self._look(game)
            left_s -= _LOOK_S if self.stop.is_set() else 0.0
            if left_s < 0:
                return False
        return True

    async def _look(self, game: PoolGame) -> None:
        """Ask how the match stands, for as long as the patience lasts."""
        deadline = self.journal.monotonic() + self.pace.patience_s
        while True:
            try:
                await game.refresh()
            except ServerFaultError:
                if self.journal.monotonic() > deadline:
                    raise
                await asyncio.sleep(_LOOK_S)
            else:
                return

    def _note_pot(self, game: PoolGame) -> None:
        """Put the end of a match into the journal."""
        assert game.result is not None, "the match is over"
        paid = frozenset(seat.player for seat in (game.own, *game.opponents) if seat.stake_paid)
        payouts = {seat.player: seat.payout for seat in game.result.seats}
        self.journal.paid_out(game.name, Pot(game.stake, paid, payouts))
