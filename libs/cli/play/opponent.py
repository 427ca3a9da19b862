"""The bots that `sparrow play quick --bot` and `play arena --bot` put into the queue beside the person."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping
from typing import Final

from libs.cli.demo.journal import Journal
from libs.cli.demo.matches import ArenaPlayer, MatchPlayer, QuickPlayer
from libs.cli.demo.player import BotPlayer, Pace, register
from libs.client.tickets import QueueKind

PATIENCE_S = 30.0


class Companion(QuickPlayer):
    """Plays again whenever the person wants to."""

    wants_again = 1.0


_BOTS: Final[Mapping[QueueKind, tuple[type[MatchPlayer], int]]] = {
    QueueKind.QUICK: (Companion, 1),
    QueueKind.ARENA: (ArenaPlayer, 3),
}


class Opponents:
    """As many bots as a table needs beside the person, each with a client of its own; or nobody."""

    def __init__(self, target: str, kind: QueueKind, think_ms: int | None) -> None:
        """Say where they play and how long they think before a touch; none: there are no bots."""
        self._target = target
        self._kind, self._count = _BOTS[kind]
        self._think_ms = think_ms
        self._stop = asyncio.Event()
        self._bots: list[BotPlayer] = []
        self._playing: list[asyncio.Task[None]] = []

    @property
    def players(self) -> frozenset[str]:
        """The bots' names on the boards."""
        return frozenset(bot.player for bot in self._bots)

    async def queue(self) -> None:
        """Let the bots sign in and wait for a match; whoever waits first meets them."""
        if self._think_ms is None:
            return
        pace = Pace(self._think_ms, PATIENCE_S)
        journal = Journal(time.monotonic)
        for _ in range(self._count):
            seed = secrets.randbelow(1_000_000)
            bot = await register(self._kind, self._target, seed, journal, pace, seed, self._stop)
            self._bots.append(bot)
            self._playing.append(asyncio.create_task(bot.play()))

    def give_up(self) -> None:
        """Let the bots leave their match or the queue."""
        self._stop.set()

    async def close(self) -> None:
        """Let the bots give up, and wait until they have."""
        self.give_up()
        if self._playing:
            await asyncio.wait(self._playing, timeout=PATIENCE_S)
        for playing in self._playing:
            playing.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        for bot in self._bots:
            await bot.client.close()
