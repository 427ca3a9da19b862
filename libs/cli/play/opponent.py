"""The bot that `sparrow play quick --bot` puts into the queue beside the person."""

from __future__ import annotations

import asyncio
import secrets
import time

from libs.cli.demo.journal import Journal
from libs.cli.demo.player import BotPlayer, Pace, register
from libs.cli.demo.quick import QuickPlayer

PATIENCE_S = 30.0


class Opponent:
    """A bot with a client of its own, or nobody."""

    def __init__(self, target: str, think_ms: int | None) -> None:
        """Say where it plays and how long it thinks before a touch; none: there is no bot."""
        self._target = target
        self._think_ms = think_ms
        self._stop = asyncio.Event()
        self._bot: BotPlayer | None = None
        self._playing: asyncio.Task[None] | None = None

    @property
    def player(self) -> str | None:
        """The bot's name on the boards; none where there is no bot."""
        return None if self._bot is None else self._bot.player

    async def queue(self) -> None:
        """Let the bot sign in and wait for a match; whoever waits first meets it."""
        if self._think_ms is None:
            return
        pace = Pace(self._think_ms, PATIENCE_S)
        journal = Journal(time.monotonic)
        seed = secrets.randbelow(1_000_000)
        self._bot = await register(QuickPlayer, self._target, seed, journal, pace, seed, self._stop)
        self._playing = asyncio.create_task(self._bot.play())

    def give_up(self) -> None:
        """Let the bot leave its match or the queue."""
        self._stop.set()

    async def close(self) -> None:
        """Let the bot give up, and wait until it has."""
        self.give_up()
        if self._playing is not None and self._bot is not None:
            await asyncio.wait([self._playing], timeout=PATIENCE_S)
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
            await self._bot.client.close()
