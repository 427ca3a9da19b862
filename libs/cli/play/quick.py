"""A quick match in the terminal: waiting, the countdown, the board, the opponent, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import datetime, timedelta
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape

from libs.cli.play.lines import TypedLines
from libs.cli.play.opponent import Opponent
from libs.cli.play.table import Table
from libs.cli.terminal import foreign
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.game import LIVE, Game
from libs.client.results import GameState, Update
from libs.client.rounds import Ending, Out, PairKind, RoundResult, SeatProgress
from libs.client.tickets import Waiting

T = TypeVar("T")

WARNING = timedelta(seconds=5)
"""So long before a seat goes out it is told."""
_ENDINGS = {
    Ending.CLEARED: "The board was cleared.",
    Ending.TIME: "The five minutes are over.",
    Ending.ALL_OUT: "Nobody plays any more.",
}


class QuickMatch:
    """From the queue to the result."""

    def __init__(self, client: SparrowClient, out: Console, opponent: Opponent) -> None:
        """Take who plays, where it is shown, and the bot that may wait as well."""
        self._client = client
        self._out = out
        self._opponent = opponent
        self._lines = TypedLines()

    async def play(self) -> None:
        """Find a match and play it. `q` and the end of the input leave, the queue as well as the match."""
        try:
            name = await self._find()
            if name is not None:
                game = await self._client.game(name)
                names = await self._names(game)
                if self._opponent.player not in {seat.player for seat in game.opponents}:
                    self._opponent.give_up()
                table = RoundTable(game, self._out, self._lines, names)
                if not await table.play() and self._opponent.player in names:
                    self._opponent.give_up()
                    await table.await_end()
                table.show_end(self._client.profile.name)
        finally:
            await self._opponent.close()

    async def _find(self) -> str | None:
        """Wait in the queue and return the match; none where the player stopped waiting."""
        try:
            waiting = await self._client.queue()
        except RefusedError as refused:
            if refused.reason != "ALREADY_SEATED":
                raise
            self._out.print("You sit in a match already: on with it.")
            return refused.metadata["match"]
        expected = waiting.ticket.expected_wait
        about = "" if expected is None else f", about {max(1, round(expected.total_seconds()))} s"
        self._out.print(f"Waiting for an opponent{about}. Type [bold]q[/] to stop waiting.")
        await self._opponent.queue()
        return await self._wait(waiting)

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


class RoundTable(Table):
    """One round on the terminal. What the opponent does is told while the player thinks."""

    help = "Type one or two tile numbers, [bold]p[/] put back, [bold]j[/] use a joker, [bold]q[/] leave."
    blocked = "Only a joker helps: lift a tile and type [bold]j[/]."

    def __init__(self, game: Game, out: Console, lines: TypedLines, names: dict[str, str]) -> None:
        """Sit down; nothing is shown yet."""
        super().__init__(game, out)
        self._lines = lines
        self._names = names
        self._news = asyncio.Event()
        self._told: tuple[SeatProgress, ...] = ()
        self._clock = asyncio.get_running_loop().time
        self._server_ahead_s: float | None = None
        self._warned_of: datetime | None = None
        self._is_out = False
        self._watching = asyncio.create_task(self._follow())

    async def play(self) -> bool:
        """Count down, then show, read, send until it is over; false where the player left before the end."""
        self._out.print(f"\n[bold]Quick match[/] against [bold]{' and '.join(self._names.values())}[/]")
        self._out.print(f"[dim]{self._game.name}, commitment {self._game.commitment}[/]\n{self.help}")
        await self._count_down()
        self._show()
        while self._game.state in LIVE:
            line = await self._next_line()
            if self._game.state not in LIVE:
                break
            if line is None or line.strip().lower() == "q":
                await self._obey("q")
                return self._game.state not in LIVE
            await self._obey(line.strip().lower())
            self._show()
        return True

    async def await_end(self) -> None:
        """Wait until the match is over for everybody."""
        while self._game.state in LIVE:
            await self._until_news(None)

    def show_end(self, player: str) -> None:
        """Say how it ended, where it has."""
        self._watching.cancel()
        told = self._game.round_result
        if told is None:
            self._out.print(
                f"The match goes on without you: [bold]sparrow verify {self._game.name}[/] later."
            )
            return
        self._out.print("\n" + result_text(told, player, self._names))

    async def _count_down(self) -> None:
        for number in (3, 2, 1):
            if self._game.state is not GameState.COUNTDOWN:
                break
            self._out.print(f"[bold]{number}[/]")
            await self._until_news(1.0)
        while self._game.state is GameState.COUNTDOWN:
            await self._until_news(None)
        self._out.print("[bold green]Go.[/] A pair within every 20 s, or you are out.")

    async def _next_line(self) -> str | None:
        """The next line that is typed; whatever else happens meanwhile is told. Ends with the match."""
        reading = asyncio.create_task(self._lines.next())
        try:
            while not reading.done() and self._game.state in LIVE:
                await self._until_news(self._warns_in_s(), reading)
                self._tell_news()
            return await reading if reading.done() else None
        finally:
            reading.cancel()

    async def _until_news(
        self, within_s: float | None, reading: asyncio.Task[str | None] | None = None
    ) -> None:
        self._news.clear()
        waiting = [asyncio.create_task(self._news.wait()), *([reading] if reading else [])]
        await asyncio.wait(waiting, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        waiting[0].cancel()
        if self._watching.done() and self._game.state in LIVE:
            await self._watching  # raises why the match is out of sight
            await self._game.refresh()

    async def _follow(self) -> None:
        try:
            async for message in self._game.watch():
                if isinstance(message, Update):
                    self._server_ahead_s = message.time.timestamp() - self._clock()
                else:
                    await self._game.refresh()
                self._news.set()
        finally:
            self._news.set()

    def _warns_in_s(self) -> float | None:
        """In how many seconds the player must hear that the seat goes out soon; none where it was said."""
        own = self._game.own
        if own is None or own.idle_deadline is None or self._server_ahead_s is None:
            return None
        if own.idle_deadline == self._warned_of:
            return None
        return max(0.0, (own.idle_deadline - WARNING).timestamp() - self._server_ahead_s - self._clock())

    def _tell_news(self) -> None:
        """Say what has changed without the player, and ask again."""
        news = [
            f"[cyan]{progress_text(seat, self._names.get(seat.player, 'Somebody'))}[/]"
            for seat in self._game.opponents
            if seat not in self._told
        ]
        self._told = self._game.opponents
        own = self._game.own
        if own is not None and own.out is Out.IDLE and not self._is_out:
            self._is_out = True
            news.append("[bold red]You are out:[/] 20 s without a pair. Your score stays.")
        if self._warns_in_s() == 0 and own is not None:
            self._warned_of = own.idle_deadline
            news.append(f"[bold red]{WARNING.seconds} s left for a pair.[/]")
        if news and self._game.state in LIVE:
            self._out.print(("\n" if self._is_talk else "") + "\n".join(news))
            self._ask()

    async def _do(self, line: str) -> None:
        if line == "q":
            await self._game.leave()
            self._out.print("You left the match; your score stays.")
        elif line == "j":
            self._tell(await self._game.use_joker())
        else:
            await super()._do(line)

    def _standing(self) -> str:
        return f" · [bold]{self._game.round_score or 0}[/] points"

    def _pair_sentence(self, update: Update) -> str:
        return pair_text(update)


def pair_text(update: Update) -> str:
    """What a pair brought, and why."""
    told = update.pair_worth
    if told is None:
        return "[green]A pair.[/]"
    why = {
        PairKind.PLAIN: "[green]A pair",
        PairKind.PACE: "[bold green]A pair faster than any before",
        PairKind.CRUCIAL: "[bold magenta]The crucial pair, the only one that keeps the board solvable",
        PairKind.JOKER: "[green]A pair by a joker",
    }[told.kind]
    return f"{why}: {told.worth}.[/]"


def progress_text(seat: SeatProgress, name: str) -> str:
    """How far an opponent has come."""
    out = {None: "", Out.IDLE: " · out: 20 s without a pair", Out.LEFT: " · has left"}[seat.out]
    return f"{name}: {seat.tiles_left} tiles left · {seat.round_score}{out}"


def result_text(result: RoundResult, player: str, names: dict[str, str]) -> str:
    """How a round ended, a line for each seat, the best first."""
    lines = [f"[bold]{_ENDINGS[result.ending]}[/]"]
    for seat in sorted(result.seats, key=lambda seat: (seat.place, seat.player != player)):
        name = "You" if seat.player == player else names.get(seat.player, "Somebody")
        cleared = ", cleared" if seat.cleared else ""
        lines.append(f"{seat.place}. {name}: {seat.round_score}{cleared} · {seat.points} account points")
    return "\n".join(lines)


async def _first(reading: Coroutine[Any, Any, T], other: asyncio.Task[Any]) -> T | None:
    """What is read, unless the other is done first."""
    task = asyncio.create_task(reading)
    await asyncio.wait([task, other], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return await task
    task.cancel()
    return None
