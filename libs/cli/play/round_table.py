"""Rounds on the terminal: the countdown, the board, the clock, what the opponents do, and the end."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from rich.console import Console

from libs.cli.play.lines import TypedLines
from libs.cli.play.round_texts import pair_text, progress_text, result_text, standings_text
from libs.cli.play.table import Table
from libs.client.game import LIVE, Game
from libs.client.results import GameState, Update
from libs.client.rounds import Mode, Out, SeatProgress

WARNING = timedelta(seconds=5)
"""So long before a seat goes out it is told."""


_TITLES = {Mode.QUICK: "Quick match", Mode.ARENA: "Arena", Mode.TOURNAMENT: "Tournament"}


class RoundTable(Table):
    """A match on the terminal, of one round or several. What opponents do is told while the player thinks."""

    help = "Type one or two tile numbers, [bold]p[/] put back, [bold]j[/] use a joker, [bold]q[/] leave."
    blocked = "Only a joker helps: lift a tile and type [bold]j[/]."

    def __init__(
        self, game: Game, out: Console, lines: TypedLines, names: dict[str, str], player: str
    ) -> None:
        """Sit down; nothing is shown yet."""
        super().__init__(game, out)
        self._lines = lines
        self._names = names
        self._player = player
        self._news = asyncio.Event()
        self._told: tuple[SeatProgress, ...] = ()
        self._clock = asyncio.get_running_loop().time
        self._server_ahead_s: float | None = None
        self._warned_of: datetime | None = None
        self._is_out = False
        self._played = 0
        self.has_left = False
        """Whether the player left."""
        self._watching = asyncio.create_task(self._follow())

    async def play(self) -> bool:
        """Play round after round until it is over; false where the player left before the end."""
        what = _TITLES[self._game.mode]
        self._out.print(f"\n[bold]{what}[/] against [bold]{' and '.join(self._names.values())}[/]")
        promised = f", commitment {self._game.commitment}" if self._game.round is None else ""
        self._out.print(f"[dim]{self._game.name}{promised}[/]\n{self.help}")
        while self._game.state in LIVE:
            if not await self._play_round():
                return False
            if self._game.state is GameState.BREAK:
                self._show_result()
        return True

    async def _play_round(self) -> bool:
        """Count down, then show, read, send until the round is over; false where the player left."""
        if not await self._count_down():
            return False
        self._is_out = False
        self._show()
        while self._in(GameState.RUNNING):
            line = await self._next_line()
            if not self._in(GameState.RUNNING):
                break
            if line is None or line.strip().lower() == "q":
                await self._obey("q")
                return not self._in(*LIVE)
            await self._obey(line.strip().lower())
            if self._in(GameState.RUNNING):
                self._show()
        return True

    async def await_end(self) -> None:
        """Wait until the match is over for everybody."""
        while self._game.state in LIVE:
            await self._until_news(None)

    def show_end(self) -> None:
        """Say how it ended, where it has."""
        self._watching.cancel()
        if self._game.state in LIVE:
            self._out.print(
                f"The match goes on without you: [bold]sparrow verify {self._game.name}[/] later."
            )
            return
        self._show_result()

    def _show_result(self) -> None:
        """Say how the round ended, and where everybody stands by all of them."""
        told, standings = self._game.round_result, self._game.standings
        if told is not None:
            is_paid = self._game.mode is Mode.QUICK
            self._out.print("\n" + result_text(told, self._player, self._names, is_paid=is_paid))
        if standings:
            is_over = self._game.state not in LIVE
            self._out.print(standings_text(standings, self._player, self._names, is_over=is_over))

    async def _count_down(self) -> bool:
        """Wait for the signal; false where the player left in the break before it."""
        await self._until_dealt()
        if (of := self._game.round) is not None:
            promised = f"[dim]commitment {self._game.commitment}[/]"
            self._out.print(f"\n[bold]Round {of.number} of {of.count}[/] {promised}")
        if self._in(GameState.BREAK):
            self._out.print("A break of 10 s. Type [bold]q[/] to leave.")
        while self._in(GameState.BREAK):
            line = await self._next_line()
            if self._in(GameState.BREAK) and (line is None or line.strip().lower() == "q"):
                await self._obey("q")
                return not self._in(*LIVE)
        for number in (3, 2, 1):
            if not self._in(GameState.COUNTDOWN):
                break
            self._out.print(f"[bold]{number}[/]")
            await self._until_news(1.0)
        while self._in(GameState.COUNTDOWN):
            await self._until_news(None)
        self._told = self._game.opponents
        if self._in(GameState.RUNNING):
            self._out.print("[bold green]Go.[/] A pair within every 20 s, or you are out.")
        return True

    def _in(self, *states: GameState) -> bool:
        """Whether the match is in one of these states, as far as is known now."""
        return self._game.state in states

    async def _until_dealt(self) -> None:
        """Wait for the deal of a round that was not played here yet."""
        while self._game.state is GameState.BREAK and self._number <= self._played:
            await self._until_news(None)
        self._played = self._number

    @property
    def _number(self) -> int:
        """Which round it is."""
        return 1 if self._game.round is None else self._game.round.number

    async def _next_line(self) -> str | None:
        """The next line that is typed; whatever else happens is told meanwhile. Ends with round or break."""
        state = self._game.state
        reading = asyncio.create_task(self._lines.next())
        try:
            while not reading.done() and self._game.state is state:
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
        if news and self._game.state is GameState.RUNNING:
            self._out.print(("\n" if self._is_talk else "") + "\n".join(news))
            self._ask()

    async def _do(self, line: str) -> None:
        if line == "q":
            self.has_left = True
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
