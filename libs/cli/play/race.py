"""`sparrow play race`: a race typed pair by pair, alone, against CPU players, or in somebody's group."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.levels import seconds
from libs.cli.play.again import Again
from libs.cli.play.lines import TypedLines
from libs.cli.play.picture import free_line, picture
from libs.cli.play.waiting import find
from libs.cli.terminal import console, fail, run
from libs.client.client import SparrowClient
from libs.client.errors import ConflictError, RefusedError
from libs.client.race_views import CpuLevel, Difficulty, RaceLine, RaceMove, RaceState, RaceTold
from libs.client.races import RaceGame
from libs.client.tickets import QueueKind

HELP = "Type two tile numbers, or one; [bold]s[/] shuffle, [bold]h[/] hint, [bold]q[/] give up."
LOOK_EVERY_S = 0.25


def race(
    bot: Annotated[int, typer.Option("--bot", metavar="N", min=0, max=3, help="CPU players, 0 to 3")] = 0,
    level: Annotated[CpuLevel, typer.Option("--level", help="how well they play")] = CpuLevel.MEDIUM,
    difficulty: Annotated[
        Difficulty, typer.Option("--difficulty", help="how large the board is")
    ] = Difficulty.EASY,
    code: Annotated[str, typer.Option("--code", help="join a group, and race when its host starts")] = "",
    queue: Annotated[bool, typer.Option("--queue", help="race whoever waits, for ratings")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Race: clear your board before the others clear theirs, the same for everybody."""
    target = find_endpoint(endpoint)
    if queue:
        if bot or code:
            fail("In the queue are strangers: say --queue without --bot and --code", 2)
        run(_race_strangers(target, profile, language), target)
        return
    run(_play(target, profile, difficulty, [level] * bot, code, language), target)


async def _race_strangers(target: str, profile: str, language: str | None) -> None:
    """Race those who wait, and again as long as all want a rematch."""
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        out, lines = console(), TypedLines()
        name = await find(client, out, lines, QueueKind.RACE)
        while name is not None:
            game = await client.races.game(name)
            await _RaceTable(game, out, client.profile.name, lines).play()
            if game.view.rematch_until is None:
                return
            others = {line.player: "Somebody" for line in game.view.results if line.player}
            others.pop(client.profile.name, None)
            name = await Again(client, out, lines, others).ask(name)


async def _play(
    target: str, profile: str, difficulty: Difficulty, cpu: list[CpuLevel], code: str, language: str | None
) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        out = console()
        group = await (client.races.join_group(code) if code else client.races.create_group(difficulty, cpu))
        try:
            if code:
                out.print(f"In the group of [bold]{group.host}[/]: waiting for the start.")
                game = await _await_start(client, group.race)
            else:
                game = await client.races.start(group.name)
            await _RaceTable(game, out, client.profile.name, TypedLines()).play()
        finally:
            await client.races.leave_group(group.name)


async def _await_start(client: SparrowClient, before: str | None) -> RaceGame:
    """Wait for a race of the group that this player has a seat in."""
    while True:
        group = await client.races.group()
        if group.race is not None and group.playing and group.race != before:
            return await client.races.game(group.race)
        await asyncio.sleep(LOOK_EVERY_S)


class _RaceTable:
    """A race on the terminal."""

    def __init__(self, game: RaceGame, out: Console, player: str, lines: TypedLines) -> None:
        self._game = game
        self._out = out
        self._player = player
        self._lines = lines
        self._news = asyncio.Event()
        self._gave_up = False

    async def play(self) -> None:
        """Show, read, send until the own part is over; wait for the others. The end of input gives up."""
        self._out.print(f"\n[bold]Race[/]  [dim]{self._game.view.name}[/]\n{HELP}")
        watching = asyncio.create_task(self._watch())
        try:
            await self._until_not(RaceState.COUNTDOWN)
            while self._is_playing():
                self._show()
                line = await self._lines.next()
                await self._obey("q" if line is None else line.strip().lower())
            await self._until_not(RaceState.RUNNING)
        finally:
            watching.cancel()
        self._show_end()

    def _is_playing(self) -> bool:
        view = self._game.view
        own = [line for line in view.lines if line.player == self._player]
        is_over = view.state is RaceState.OVER or view.board.is_cleared or self._gave_up
        return not is_over and bool(own)

    async def _watch(self) -> None:
        async for _view in self._game.watch():
            self._news.set()

    async def _until_not(self, state: RaceState) -> None:
        """Wait until the race has left a state."""
        while self._game.view.state is state:
            self._news.clear()
            await self._news.wait()

    def _show(self) -> None:
        view = self._game.view
        self._out.print()
        self._out.print(picture(view.board), soft_wrap=True)
        self._out.print(f"[dim]free:[/] {free_line(view.board)}")
        if view.stuck:
            self._out.print("[bold yellow]Blocked, and no shuffle is left:[/] type [bold]q[/].")
        elif view.board.is_blocked:
            self._out.print("[bold yellow]Blocked.[/] Type [bold]s[/] to shuffle.")
        standing = " · ".join(self._line_text(line) for line in view.lines)
        over = f", [red]{seconds(view.excess_ms)} over[/]" if view.excess_ms else ""
        shuffles = "∞" if view.shuffles_left is None else view.shuffles_left
        hints = "∞" if view.hints_left is None else view.hints_left
        self._out.print(
            f"{standing}\n[bold]{view.board.tiles_left}[/] tiles left, {shuffles} shuffles, {hints} hints, "
            f"{seconds(view.elapsed_ms)}{over} > ",
            end="" if sys.stdin.isatty() else "\n",
        )

    def _line_text(self, line: RaceLine) -> str:
        name = "you" if line.player == self._player else f"CPU {line.cpu}" if line.cpu else "somebody"
        when = "" if line.finished_ms is None else f" in {seconds(line.finished_ms)}"
        return f"{line.place}. {name} {line.percent}%{when}"

    async def _obey(self, line: str) -> None:
        try:
            await self._do(line)
        except ConflictError:
            await self._game.refresh()
            self._out.print("The board has changed meanwhile: look again.")
        except RefusedError as refused:
            self._out.print(f"[yellow]{escape(refused.text)}[/]")

    async def _do(self, line: str) -> None:
        words = line.replace(",", " ").split()
        if line == "q":
            self._gave_up = True
            await self._game.give_up()
        elif line == "s":
            self._tell(await self._game.shuffle())
        elif line == "h":
            self._tell(await self._game.hint())
        elif 1 <= len(words) <= 2 and all(word.isdecimal() and len(word) < 4 for word in words):
            tiles = [int(word) for word in words]
            told = await (self._game.touch(*tiles) if len(tiles) == 1 else self._game.remove(*tiles))
            self._tell(told)
        else:
            self._out.print(HELP)

    def _tell(self, told: RaceTold) -> None:
        by = ", ".join(map(str, told.blockers))
        texts = {
            RaceMove.BLOCKED: f"[yellow]Tile {told.tile} is blocked by {by}.[/]",
            RaceMove.NOT_SAME: "[yellow]These two do not match.[/]",
            RaceMove.FREE: f"Tile {told.tile} is free.",
            RaceMove.SHUFFLED: "Shuffled: the board can be cleared again.",
            RaceMove.HINT: f"[green]{told.pair and ' and '.join(map(str, told.pair))}[/] go together.",
        }
        if told.move in texts:
            self._out.print(texts[told.move])

    def _show_end(self) -> None:
        for result in self._game.view.results:
            name = (
                "You" if result.player == self._player else f"CPU {result.cpu}" if result.cpu else "Somebody"
            )
            how = f"{result.percent}%" if result.elapsed_ms is None else seconds(result.elapsed_ms)
            rated = "" if result.rating is None else f", rating {result.rating}"
            self._out.print(f"{result.place}. {name}: {how}{rated}")
