"""Bots of a demo that play a tournament: they enter, find their tables, play them, and stay until the end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Final

from libs.cli.demo.matches import MatchPlayer
from libs.client.errors import RefusedError, SparrowError
from libs.client.game import Game

FIND_S: Final = 15.0
"""A table is told as it is seated; its match begins right after that."""
_LOOK_S: Final = 0.25


@dataclass
class TournamentPlayer(MatchPlayer):
    """One bot of a tournament; one that stays away enters, and never comes to its tables."""

    tournament: str = ""
    stays_away: bool = False

    async def enter(self) -> None:
        """Register."""
        self.status = "registers"
        await self.client.tournaments.register(self.tournament)
        self.status = "is registered"

    async def play(self) -> None:
        """Play every table, until the tournament is over."""
        if self.stays_away:
            self.status = "stays away"
            return
        matches: asyncio.Queue[str | None] = asyncio.Queue()
        following = asyncio.create_task(self._follow_tournament(matches))
        try:
            while (match := await matches.get()) is not None:
                game = await self._find_table(match)
                if game is not None:
                    await self._play_match(game)
                self.status = "waits for the next round"
            await following
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError, SparrowError):
                await following
        self.status = "done"

    async def _follow_tournament(self, matches: asyncio.Queue[str | None]) -> None:
        """Put every table of this bot into the queue; None at the end."""
        last: str | None = None
        try:
            async with aclosing(self.client.tournaments.watch(self.tournament, 1)) as stream:
                async for seen in stream:
                    own = seen.tournament.own
                    if own is not None and own.match not in {None, last}:
                        last = own.match
                        matches.put_nowait(last)
        finally:
            matches.put_nowait(None)

    async def _find_table(self, match: str) -> Game | None:
        """The game at a table; none where it has not begun in all the time."""
        for _ in range(int(FIND_S / _LOOK_S)):
            try:
                return await self.client.game(match)
            except RefusedError as error:
                if error.reason != "NOT_FOUND":
                    raise
            await asyncio.sleep(_LOOK_S)
        return None
