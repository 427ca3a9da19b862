"""`sparrow play`: a level, a quick match or an arena, typed tile by tile. A pipe can play as well."""

from __future__ import annotations

from typing import Annotated

import typer

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.levels import seconds
from libs.cli.play.learn import learn
from libs.cli.play.lines import TypedLines
from libs.cli.play.opponent import Opponents
from libs.cli.play.pool import pool
from libs.cli.play.race import race
from libs.cli.play.seats import MatchOfSeats
from libs.cli.play.table import Table
from libs.cli.terminal import console, fail, run
from libs.client.results import GameState, LevelResult
from libs.client.tickets import QueueKind

InviteFlag = Annotated[bool, typer.Option("--invite", help="open a private game; tells its invitation code")]
CodeOption = Annotated[str, typer.Option("--code", metavar="CODE", help="join a private game")]

app = typer.Typer(no_args_is_help=True, help="Play in the terminal.")
app.command("learn")(learn)
app.command("pool")(pool)
app.command("race")(race)


@app.callback()
def play() -> None:
    """Play in the terminal."""


@app.command("single")
def single(
    level: Annotated[int, typer.Option("--level", metavar="N", help="1 to 11,000")] = 1,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Play a level against the clock: take pairs of equal, free tiles until none is left."""
    target = find_endpoint(endpoint)
    run(_play(target, profile, level, language), target)


@app.command("quick")
def quick(
    bot: Annotated[bool, typer.Option("--bot", help="let a bot wait in the queue as well")] = False,
    think_ms: Annotated[
        int, typer.Option("--think", metavar="MS", min=0, max=10_000, help="how long the bot thinks")
    ] = 2_000,
    invite: InviteFlag = False,
    code: CodeOption = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Play a quick match against whoever waits: the same board for both, pairs against the clock."""
    target = find_endpoint(endpoint)
    invitation = _invitation(invite=invite, code=code, bot=bot)
    think = think_ms if bot else None
    run(_play_seats(target, profile, QueueKind.QUICK, think, language, invitation), target)


@app.command("arena")
def arena(
    bot: Annotated[bool, typer.Option("--bot", help="let three bots wait in the queue as well")] = False,
    think_ms: Annotated[
        int, typer.Option("--think", metavar="MS", min=0, max=10_000, help="how long the bots think")
    ] = 2_000,
    invite: InviteFlag = False,
    code: CodeOption = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Play an arena: four players, three rounds on the same boards, prizes by the sum of the scores."""
    target = find_endpoint(endpoint)
    invitation = _invitation(invite=invite, code=code, bot=bot)
    think = think_ms if bot else None
    run(_play_seats(target, profile, QueueKind.ARENA, think, language, invitation), target)


async def _play(target: str, profile: str, level: int, language: str | None) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        await _LevelTable(await client.start_level(level), console()).play()


async def _play_seats(
    target: str,
    profile: str,
    kind: QueueKind,
    bots_think_ms: int | None,
    language: str | None,
    invitation: str | None,
) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        opponents = Opponents(target, kind, bots_think_ms)
        await MatchOfSeats(client, console(), kind, opponents, invitation).play()


def _invitation(*, invite: bool, code: str, bot: bool) -> str | None:
    """The code of the private game that is joined, "" for a new one; None in the queue."""
    if (invite or code) and bot:
        fail("Bots wait in the queue: they come to no private game", 2)
    if invite and code:
        fail("Say --invite to open a private game, or --code to join one", 2)
    return code or ("" if invite else None)


class _LevelTable(Table):
    """A level against the clock."""

    help = "Type one or two tile numbers, [bold]p[/] put back, [bold]r[/] restart, [bold]q[/] leave."
    blocked = "Type [bold]r[/] to start again, [bold]q[/] to leave."

    async def play(self) -> None:
        """Show, read, send, until the level is cleared or left. The end of the input leaves."""
        hard = " [bold red]HARD[/]" if self._game.hard else ""
        self._out.print(f"\n[bold]Level {self._game.level}[/]{hard}  [dim]{self._game.name}[/]\n{self.help}")
        lines = TypedLines()
        while self._game.state is GameState.RUNNING:
            self._show()
            line = await lines.next()
            await self._obey("q" if line is None else line.strip().lower())
        if self._game.result is not None:
            self._show_result(self._game.result)

    async def _do(self, line: str) -> None:
        if line == "q":
            await self._game.leave()
            self._out.print("You left the level.")
        elif line == "r":
            self._game = await self._game.restart()
            self._out.print("A new attempt on the same deal.")
        else:
            await super()._do(line)

    def _show_result(self, result: LevelResult) -> None:
        self._out.print(
            f"\n[bold green]✓ Cleared[/] in [bold]{seconds(result.elapsed_ms)}[/], place {result.place}: "
            f"[bold]{result.points}[/] points "
            f"({result.first_completion_points} for the level, {result.time_bonus_points} for the time)."
        )
