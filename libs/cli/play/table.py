"""A game and the terminal it is played on: what all games that are typed tile by tile have in common."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape

from libs.cli.play.picture import free_line, picture
from libs.client.errors import ConflictError, RefusedError
from libs.client.game import Game
from libs.client.results import Blockers, Outcome, Update


class Table:
    """Shows a board and sends what is typed. A mistake costs a sentence, never the game."""

    help: str
    """What may be typed."""
    blocked: str
    """What to do where no pair is left."""

    def __init__(self, game: Game, out: Console) -> None:
        """Sit down; nothing is shown yet."""
        self._game = game
        self._out = out

    def _show(self) -> None:
        """Show the board, and ask."""
        board = self._game.board
        self._out.print()
        self._out.print(picture(board), soft_wrap=True)
        self._out.print(f"[dim]free:[/] {free_line(board)}")
        if board.is_blocked:
            self._out.print(f"[bold yellow]No pair is left.[/] {self.blocked}")
        self._ask()

    def _ask(self) -> None:
        board = self._game.board
        lifted = f" · {board.faces[board.lifted]} ({board.lifted}) lifted" if board.lifted is not None else ""
        self._out.print(
            f"[bold]{board.tiles_left}[/] tiles left{lifted}{self._standing()} > ",
            end="" if self._is_talk else "\n",
        )

    @property
    def _is_talk(self) -> bool:
        """Whether a person types on the line that asks."""
        return sys.stdin.isatty()

    def _standing(self) -> str:
        """What else stands on the line that asks."""
        return ""

    async def _obey(self, line: str) -> None:
        """Do what the line says."""
        try:
            await self._do(line)
        except ConflictError:
            await self._game.refresh()
            self._out.print("The board has changed meanwhile: look again.")
        except RefusedError as refused:
            self._out.print(f"[yellow]{escape(refused.text)}[/]")

    async def _do(self, line: str) -> None:
        if line == "p":
            self._tell(await self._game.put_back())
        elif line in ("", "?"):
            self._out.print(self.help)
        else:
            await self._touch(line)

    async def _touch(self, line: str) -> None:
        words = line.replace(",", " ").split()
        known = range(len(self._game.board.places))
        if len(words) > 2 or not all(word.isdecimal() and int(word) in known for word in words):
            self._out.print(f"[yellow]“{line[:40]}” is no tile.[/] {self.help}")
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
        match update.outcome:
            case Outcome.PAIRED | Outcome.JOKER:
                self._out.print(self._pair_sentence(update))
            case Outcome.NOT_SAME:
                self._out.print("[yellow]Not the same face.[/]")
            case Outcome.BLOCKED if update.blockers is not None:
                self._out.print(f"[yellow]{update.tile} is blocked: {_why(update.blockers)}.[/]")
            case Outcome.PUT_BACK:
                self._out.print("Put back.")
            case _:
                pass
        for tile, face in sorted(update.uncovered.items()):
            if tile in self._game.board.present:
                self._out.print(f"[dim]uncovered:[/] {face} ({tile})")

    def _pair_sentence(self, update: Update) -> str:  # noqa: ARG002 other games tell more
        return "[green]A pair.[/]"


def _why(blockers: Blockers) -> str:
    if blockers.covered_by:
        return "covered by " + ", ".join(map(str, blockers.covered_by))
    left, right = (" and ".join(map(str, side)) for side in (blockers.left, blockers.right))
    return f"closed by {left} on the left and {right} on the right"
