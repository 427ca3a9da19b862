"""Matches of several seats in the terminal, from the queue to the result."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape

from libs.cli.farewell import taken_back
from libs.cli.play.again import Again
from libs.cli.play.lines import TypedLines
from libs.cli.play.opponent import Opponents
from libs.cli.play.round_table import RoundTable
from libs.cli.terminal import foreign
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.game import Game
from libs.client.tickets import QueueKind, Waiting

T = TypeVar("T")


class MatchOfSeats:
    """From the queue to the result."""

    def __init__(
        self,
        client: SparrowClient,
        out: Console,
        kind: QueueKind,
        opponents: Opponents,
        invitation: str | None = None,
    ) -> None:
        """Take who plays, where it is shown, what is waited for, and the bots that may wait as well.

        With an invitation it is a private game: that of the code, or a new one where the code is empty.
        """
        self._client = client
        self._out = out
        self._kind = kind
        self._opponents = opponents
        self._invitation = invitation
        self._lines = TypedLines()

    async def play(self) -> None:
        """Find a match and play it. `q` and the end of the input leave, the queue as well as the match."""
        try:
            name = await self._find()
            while name is not None:
                name = await self._play(name)
        finally:
            await self._opponents.close()

    async def _play(self, name: str) -> str | None:
        """Play a match to its end; return the rematch, if one is offered and wanted."""
        game = await self._client.game(name)
        names = await self._names(game)
        if not self._opponents.players & names.keys():
            self._opponents.give_up()
        table = RoundTable(game, self._out, self._lines, names, self._client.profile.name)
        if not await table.play() and self._opponents.players >= names.keys():
            self._opponents.give_up()
            await table.await_end()
        table.show_end()
        if table.has_left or game.rematch_until is None:
            return None
        return await Again(self._client, self._out, self._lines, names).ask(name)

    async def _find(self) -> str | None:
        """Wait in the queue and return the match; none where the player stopped waiting."""
        try:
            waiting = await self._open()
        except RefusedError as refused:
            if refused.reason != "ALREADY_SEATED":
                raise
            self._out.print("You sit in a match already: on with it.")
            return refused.metadata["match"]
        if self._invitation is not None:
            code = waiting.ticket.invitation_code
            self._out.print(f"Invitation code: [bold]{escape(code)}[/]. It pays no points.")
        expected = waiting.ticket.expected_wait
        about = "" if expected is None else f", about {max(1, round(expected.total_seconds()))} s"
        whom = "an opponent" if self._kind is QueueKind.QUICK else "three others"
        self._out.print(f"Waiting for {whom}{about}. Type [bold]q[/] to stop waiting.")
        async with taken_back(waiting.cancel):
            await self._opponents.queue()
            return await self._wait(waiting)

    async def _open(self) -> Waiting:
        """Wait in the queue, or in a private game."""
        if self._invitation is None:
            return await self._client.queue(self._kind)
        if self._invitation:
            return await self._client.private_games.join(self._invitation)
        return await self._client.private_games.create(self._kind)

    async def _wait(self, waiting: Waiting) -> str | None:
        found = asyncio.create_task(waiting.match())
        while not found.done():
            line = await _first(self._lines.next(), found)
            if found.done():
                break
            if line is None or line.strip().lower() == "q":
                found.cancel()
                await asyncio.gather(found, return_exceptions=True)
                return await self._stop_waiting(waiting)
            self._out.print("Still waiting. Type [bold]q[/] to stop waiting.")
        return await found

    async def _stop_waiting(self, waiting: Waiting) -> str | None:
        try:
            await waiting.cancel()
        except RefusedError as refused:
            if refused.reason != "TICKET_MATCHED":
                raise
            return refused.metadata["match"]
        self._out.print("You wait no more.")
        return None

    async def _names(self, game: Game) -> dict[str, str]:
        """The names of the opponents, as they are shown to others."""
        players = [seat.player for seat in game.opponents]
        profiles = await self._client.profiles(players)
        return {
            player: escape(foreign(profiles[player].display_name).plain) if player in profiles else "Somebody"
            for player in players
        }


async def _first(reading: Coroutine[Any, Any, T], other: asyncio.Task[Any]) -> T | None:
    """What is read, unless the other is done first."""
    task = asyncio.create_task(reading)
    await asyncio.wait([task, other], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return await task
    task.cancel()
    return None
