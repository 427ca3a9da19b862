"""`sparrow play pool`: training, or a match of two to four for a pot of chips, with or without a bot."""

from __future__ import annotations

import asyncio
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
from libs.cli.play.again import Again
from libs.cli.play.lines import TypedLines
from libs.cli.play.picture import free_line, picture
from libs.cli.play.pool_bot import PoolBot
from libs.cli.play.waiting import Room, find
from libs.cli.terminal import console, fail, run
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.pools import PoolGame, PoolMove, PoolOutcome, PoolResult, PoolState
from libs.client.tickets import QueueKind

HELP = (
    "Type two tile numbers, [bold]u[/] undo, [bold]s[/] shuffle, [bold]h[/] hint, [bold]e[/] end game,"
    " [bold]q[/] leave."
)
HELP_TRAINING = " [bold]r[/] restart, [bold]n[/] new deal."


def pool(
    train: Annotated[bool, typer.Option("--train", help="train alone, without stakes")] = False,
    bot: Annotated[bool, typer.Option("--bot", help="let a bot wait in the queue as well")] = False,
    think_ms: Annotated[
        int, typer.Option("--think", metavar="MS", min=0, max=10_000, help="how long the bot thinks")
    ] = 2_000,
    invite: Annotated[
        bool, typer.Option("--invite", help="open a private match; tells its invitation code")
    ] = False,
    code: Annotated[str, typer.Option("--code", metavar="CODE", help="join a private match")] = "",
    seats: Annotated[
        int, typer.Option("--seats", metavar="N", min=2, max=4, help="how many are invited")
    ] = 2,
    stake: Annotated[
        int, typer.Option("--stake", metavar="CHIPS", min=0, help="of a private match; 0: as in the queue")
    ] = 0,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Play the pool: pairs by their value, help for points; alone, or against others for a pot of chips."""
    target = find_endpoint(endpoint)
    if (invite or code) and (bot or train):
        fail("Bots wait in the queue, and training is alone: say --invite or --code without them", 2)
    if train:
        run(_train(target, profile, language), target)
        return
    room = Room(code, seats, stake) if invite or code else None
    run(_match(target, profile, think_ms if bot else None, language, room), target)


async def _train(target: str, profile: str, language: str | None) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        await PoolTable(client, await client.pools.train(), console(), TypedLines()).play()


async def _match(
    target: str, profile: str, bot_thinks_ms: int | None, language: str | None, room: Room | None
) -> None:
    out, lines = console(), TypedLines()
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        bot = None if bot_thinks_ms is None else await PoolBot.enter(target, bot_thinks_ms / 1_000)
        try:
            name = await find(client, out, lines, QueueKind.POOL, room)
            while name is not None:
                table = PoolTable(client, await client.pools.game(name), out, lines)
                await table.play()
                out.print(f"[dim]{name}[/]")
                name = await table.again()
        finally:
            if bot is not None:
                await bot.leave()


class PoolTable:
    """A game on the terminal; what opponents do is told while the player thinks."""

    def __init__(self, client: SparrowClient, game: PoolGame, out: Console, lines: TypedLines) -> None:
        """Sit down; nothing is shown yet."""
        self._client = client
        self._game = game
        self._out = out
        self._lines = lines
        self._names: dict[str, str] = {}
        self._news = asyncio.Event()
        self._following = asyncio.create_task(self._follow(game))

    async def play(self) -> None:
        """Count down, then show, read, send until the own game is over; then wait for the end of all."""
        try:
            await self._introduce()
            while self._game.state in {PoolState.STAKING, PoolState.COUNTDOWN} and self._game.is_playing:
                await self._until_news()
            while self._game.is_playing:
                self._show()
                line = await self._next_line()
                if self._game.is_playing:
                    await self._obey("q" if line is None else line.strip().lower())
                    if line is None and self._game.training:
                        return
            while self._game.state is not PoolState.OVER:
                self._out.print(
                    f"Your game is over at {self._game.own.score} points. Waiting for the others."
                )
                await self._until_news()
            await self._game.refresh()
            if self._game.result is not None:
                self._show_result(self._game.result)
        finally:
            self._following.cancel()

    async def again(self) -> str | None:
        """The rematch, if one is offered and wanted: leaving keeps the score, and is no farewell."""
        result = self._game.result
        if result is None or result.rematch_until is None:
            return None
        return await Again(self._client, self._out, self._lines, self._names).ask(self._game.name)

    async def _introduce(self) -> None:
        game = self._game
        profiles = await self._client.profiles([seat.player for seat in game.opponents])
        self._names = {name: escape(profile.display_name) for name, profile in profiles.items()}
        against = "training" if game.training else f"against {' and '.join(self._names.values())}"
        stake = "" if game.training else f", stake {game.stake} chips"
        self._out.print(
            f"\n[bold]Pool[/], {against}{stake}\n[dim]{game.name}, commitment {game.commitment}[/]"
        )
        self._out.print(HELP + (HELP_TRAINING if game.training else ""))

    async def _follow(self, game: PoolGame) -> None:
        try:
            async for _state in game.follow():
                self._news.set()
        finally:
            self._news.set()

    async def _until_news(self) -> None:
        self._news.clear()
        if self._following.done():
            await self._following
            await self._game.refresh()
            return
        await self._news.wait()

    async def _next_line(self) -> str | None:
        """The next line that is typed; what others do is told meanwhile. Ends with the own game."""
        told = self._game.opponents
        reading = asyncio.create_task(self._lines.next())
        try:
            while not reading.done() and self._game.is_playing:
                self._news.clear()
                news = asyncio.create_task(self._news.wait())
                await asyncio.wait([reading, news], return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                if self._following.done():
                    await self._following
                for seat in self._game.opponents:
                    if seat not in told:
                        who = self._names.get(seat.player, "Somebody")
                        self._out.print(f"[cyan]{who}: {seat.score} points, {seat.pairs_left} pairs left[/]")
                told = self._game.opponents
            return await reading if reading.done() else None
        finally:
            reading.cancel()

    async def _obey(self, line: str) -> None:
        try:
            await self._do(line)
        except RefusedError as refused:
            self._out.print(f"[bold red]{escape(refused.text)}[/]")

    async def _do(self, line: str) -> None:
        game = self._game
        match line.split():
            case ["u"]:
                self._tell(await game.undo())
            case ["s"]:
                self._tell(await game.shuffle())
            case ["h"]:
                self._tell(await game.hint())
            case ["e"]:
                await game.end()
            case ["q"] if not game.training:
                await game.leave()
            case ["q"]:
                raise typer.Exit
            case ["r" | "n" as what] if game.training:
                self._following.cancel()
                self._game = await game.restart(new_deal=what == "n")
                self._following = asyncio.create_task(self._follow(self._game))
            case [first, second] if first.isdecimal() and second.isdecimal():
                self._tell(await game.remove(int(first), int(second)))
            case _:
                self._out.print(HELP)

    def _tell(self, move: PoolMove) -> None:
        cost = f" It cost {move.charge}."
        match move.outcome:
            case PoolOutcome.PAIRED:
                self._out.print(f"[green]A pair: {move.worth} points.[/]")
            case PoolOutcome.UNDONE:
                self._out.print(f"The last pair is back.{cost}")
            case PoolOutcome.SHUFFLED:
                self._out.print(f"Shuffled: a pair is there.{cost}")
            case PoolOutcome.HINTED if move.pair is not None:
                self._out.print(f"The best pair: [bold]{move.pair[0]} {move.pair[1]}[/].{cost}")
            case PoolOutcome.SHUFFLE_IMPOSSIBLE:
                self._out.print("No shuffle has a pair: nothing was charged. [bold]e[/] ends the game.")
            case _:
                pass

    def _show(self) -> None:
        game, uses = self._game, self._game.uses
        self._out.print(picture(game.board))
        self._out.print(f"[dim]free: {free_line(game.board)}[/]")
        blocked = "" if game.board.pair_available else " [bold red]No pair.[/]"
        self._out.print(
            f"[bold]{game.own.score}[/] points, {game.own.pairs_left} pairs left; undos {5 - uses.undos},"
            f" shuffles {5 - uses.shuffles}, hints {5 - uses.hints}, each for {uses.next_charge}.{blocked}"
        )

    def _show_result(self, result: PoolResult) -> None:
        if result.is_void and not self._game.training:
            self._out.print("\n[bold]Void:[/] stakes are returned.")
        for seat in sorted(result.seats, key=lambda each: each.place):
            who = "You" if seat.player == self._client.profile.name else self._names.get(seat.player, "?")
            chips = "" if self._game.training else f" · {seat.payout} chips"
            self._out.print(f"{seat.place}. {who}: {seat.score} points · {seat.end.value}{chips}")
