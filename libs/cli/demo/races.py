"""Bots of a demo that race: in pairs, a host with a group and a guest, or whoever the queue puts together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Self

from libs.cli.bot import free_pair
from libs.cli.demo.player import BotPlayer
from libs.cli.waiting import find_match
from libs.client.errors import RefusedError, ServerFaultError
from libs.client.race_views import RaceState
from libs.client.races import RaceGame, RaceGroup
from libs.client.tickets import QueueKind

OTHERS_END_S = 20.0
"""How long a race may go on without the bots; somebody else may sit in it."""
_LOOK_S = 0.2


@dataclass
class Racer(BotPlayer):
    """One bot in races of several."""

    async def race(self, race: RaceGame) -> None:
        """Play a race to its end."""
        self.journal.attempts += 1
        self.status = "counts down"
        while race.view.state is RaceState.COUNTDOWN:
            await asyncio.sleep(_LOOK_S)
            await self._look(race)
        self.status = "races"
        while race.view.state is RaceState.RUNNING and not self._is_out(race):
            if self.stop.is_set():
                await self._timed(race.give_up)
                break
            await self._move(race)
        self.status = "waits for the end"
        left_s = OTHERS_END_S
        while race.view.state is not RaceState.OVER:
            await asyncio.sleep(_LOOK_S)
            await self._look(race)
            left_s -= _LOOK_S if self.stop.is_set() else 0.0
            if left_s < 0:  # somebody else sits in it
                return
        own = next(result for result in race.view.results if result.player == self.player)
        self.cleared += own.elapsed_ms is not None
        self.journal.raced(race.view.name, self.player, own.rating)

    def _is_out(self, race: RaceGame) -> bool:
        return race.view.board.is_cleared or race.view.stuck

    async def _move(self, race: RaceGame) -> None:
        """Take a pair, or shuffle where there is none; where that is in doubt, look."""
        if self.pace.think_ms:
            await asyncio.sleep(self.pace.think_ms * self.rng.uniform(0.5, 1.5) / 1000)
        pair = free_pair(race.view.board)
        send = race.shuffle if pair is None else lambda: race.remove(*pair)
        if await self._timed(send) is None:
            await self._look(race)

    async def _look(self, race: RaceGame) -> None:
        """Ask how the race stands, for as long as the patience lasts."""
        deadline = self.journal.monotonic() + self.pace.patience_s
        while True:
            try:
                await race.refresh()
            except ServerFaultError:
                if self.journal.monotonic() > deadline:
                    raise
                await asyncio.sleep(_LOOK_S)
            else:
                return


@dataclass
class RacePlayer(Racer):
    """One bot of a pair; `guest` is whom a host races. A guest plays what its host begins."""

    guest: Self | None = None
    is_guest: bool = False

    async def play(self) -> None:
        """Race until told to stop, then give the running race up and see it end."""
        if self.is_guest:
            return
        if self.guest is None:  # nobody to race
            await super().play()
            return
        group = await self._timed(lambda: self.client.races.create_group(rated=True))
        if group is None or await self.guest.join(group) is None:
            return
        while not self.stop.is_set():
            try:
                race = await self._begin(group.name)
                other = None if race is None else await self.guest.seat(race.view.name)
            except ServerFaultError:
                await asyncio.sleep(_LOOK_S)
                continue
            if race is not None and other is not None:
                await asyncio.gather(self.race(race), self.guest.race(other))
        self.status = self.guest.status = "done"

    async def join(self, group: RaceGroup) -> RaceGroup | None:
        """Come into a group; none where that is in doubt."""
        return await self._timed(lambda: self.client.races.join_group(group.code))

    async def seat(self, name: str) -> RaceGame:
        """Sit down in a race of the group."""
        return await self.client.races.game(name)

    async def _begin(self, group: str) -> RaceGame | None:
        """Start a race, or take the one that is played although its start was never answered."""
        race = await self._timed(lambda: self.client.races.start(group))
        if race is not None:
            return race
        await asyncio.sleep(_LOOK_S)
        told = await self.client.races.group(group)
        return await self.seat(told.race) if told.race is not None and told.playing else None


@dataclass
class QueueRacePlayer(Racer):
    """One bot of two to eight that the queue puts together, for ratings."""

    async def play(self) -> None:
        """Race until told to stop, then give the running race up and see it end."""
        while not self.stop.is_set():
            self.status = "waits for others"
            try:
                name = await find_match(self.client, QueueKind.RACE, self.stop)
                race = None if name is None else await self.client.races.game(name)
            except RefusedError:  # the ticket ran out: nobody came
                continue
            except ServerFaultError:
                await asyncio.sleep(_LOOK_S)
                continue
            if race is not None:
                await self.race(race)
        self.status = "done"


def pair_up(racers: list[RacePlayer]) -> None:
    """Give every second racer to the one before as a guest; who is left over races nobody."""
    for host, guest in zip(racers[::2], racers[1::2], strict=False):
        host.guest, guest.is_guest = guest, True
