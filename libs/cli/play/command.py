"""`sparrow play single`: one level, typed tile by tile. A pipe can play as well as a person."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.levels import seconds
from libs.cli.play.lines import TypedLines
from libs.cli.play.picture import free_line, picture
from libs.cli.terminal import console, run
from libs.client.errors import ConflictError, RefusedError
from libs.client.game import Game
from libs.client.results import Blockers, GameState, LevelResult, Outcome, Update

HELP = "Type one or two tile numbers, [bold]p[/] put back, [bold]r[/] restart, [bold]q[/] leave."

app = typer.Typer(no_args_is_help=True, help="Play in the terminal.")


@app.callback()
def play() -> None:
    """Play in the terminal."""


@app.command("single")
def single(
    level: Annotated[int, typer.Option("--level", metavar="N", help="1 to 11,000")] = 1,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
) -> None:
    """Play a level against the clock: take pairs of equal, free tiles until none is left."""
    target = find_endpoint(endpoint)
    run(_play(target, profile, level), target)


async def _play(target: str, profile: str, level: int) -> None:
    async with await connect(target, profile, retry_for_s=30) as client:
        await _Table(await client.start_level(level), console()).play()


class _Table:
    """A game and the terminal it is played on."""

    def __init__(self, game: Game, out: Console) -> None:
        self._game = game
        self._out = out

    async def play(self) -> None:
        """Show, read, send, until the level is cleared or left. The end of the input leaves."""
        hard = " [bold red]HARD[/]" if self._game.hard else ""
        self._out.print(f"\n[bold]Level {self._game.level}[/]{hard}  [dim]{self._game.name}[/]\n{HELP}")
        lines = TypedLines()
        while self._game.state is GameState.RUNNING:
            self._show()
            line = await lines.next()
            await self._obey("q" if line is None else line.strip().lower())
        if self._game.result is not None:
            self._show_result(self._game.result)

    def _show(self) -> None:
        board = self._game.board
        self._out.print()
        self._out.print(picture(board), soft_wrap=True)
        self._out.print(f"[dim]free:[/] {free_line(board)}")
        if board.is_blocked:
            self._out.print(
                "[bold yellow]No pair is left.[/] Type [bold]r[/] to start again, [bold]q[/] to leave."
            )
        lifted = f" · {board.faces[board.lifted]} ({board.lifted}) lifted" if board.lifted is not None else ""
        self._out.print(
            f"[bold]{board.tiles_left}[/] tiles left{lifted} > ", end="" if self._is_talk else "\n"
        )

    @property
    def _is_talk(self) -> bool:
        """Whether a person types on the line that asks."""
        return sys.stdin.isatty()

    async def _obey(self, line: str) -> None:
        """Do what the line says; a mistake costs a sentence, never the game."""
        try:
            if line == "q":
                await self._game.leave()
                self._out.print("You left the level.")
            elif line == "r":
                self._game = await self._game.restart()
                self._out.print("A new attempt on the same deal.")
            elif line == "p":
                self._tell(await self._game.put_back())
            elif line in ("", "?"):
                self._out.print(HELP)
            else:
                await self._touch(line)
        except ConflictError:
            await self._game.refresh()
            self._out.print("The board has changed meanwhile: look again.")
        except RefusedError as refused:
            self._out.print(f"[yellow]{_sentence(refused)}[/]")

    async def _touch(self, line: str) -> None:
        words = line.replace(",", " ").split()
        known = range(len(self._game.board.places))
        if len(words) > 2 or not all(word.isdecimal() and int(word) in known for word in words):
            self._out.print(f"[yellow]“{line[:40]}” is no tile.[/] {HELP}")
            return
        for word in words:
            tile = int(word)
            if len(words) == 2 and word == words[0] and self._game.board.lifted == tile:
                continue  # it was lifted before: touching it again would put it back
            update = await self._game.touch(tile)
            self._tell(update)
            if update.outcome not in (Outcome.LIFTED, Outcome.PAIRED):
                return

    def _tell(self, update: Update) -> None:
        board = self._game.board
        match update.outcome:
            case Outcome.PAIRED:
                self._out.print("[green]A pair.[/]")
            case Outcome.NOT_SAME:
                self._out.print("[yellow]Not the same face.[/]")
            case Outcome.BLOCKED if update.blockers is not None:
                self._out.print(f"[yellow]{update.tile} is blocked: {_why(update.blockers)}.[/]")
            case Outcome.PUT_BACK:
                self._out.print("Put back.")
            case _:
                pass
        for tile, face in sorted(update.uncovered.items()):
            if tile in board.present:
                self._out.print(f"[dim]uncovered:[/] {face} ({tile})")

    def _show_result(self, result: LevelResult) -> None:
        self._out.print(
            f"\n[bold green]✓ Cleared[/] in [bold]{seconds(result.elapsed_ms)}[/], place {result.place}: "
            f"[bold]{result.points}[/] points "
            f"({result.first_completion_points} for the level, {result.time_bonus_points} for the time)."
        )


def _why(blockers: Blockers) -> str:
    if blockers.covered_by:
        return "covered by " + ", ".join(map(str, blockers.covered_by))
    left, right = (" and ".join(map(str, side)) for side in (blockers.left, blockers.right))
    return f"closed by {left} on the left and {right} on the right"


def _sentence(refused: RefusedError) -> str:
    """Return a refusal for a person."""
    known = {"TILE_GONE": "That tile is gone.", "NOTHING_LIFTED": "Nothing is lifted."}
    return known.get(refused.reason, refused.message or refused.reason)
