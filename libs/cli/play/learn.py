"""`sparrow play learn`: the learning board, step by step."""

from __future__ import annotations

from typing import Protocol

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
from libs.cli.play.lines import TypedLines
from libs.cli.play.picture import free_line, picture
from libs.cli.terminal import console, run
from libs.client.learning import Learning

HELP = (
    "Type one tile number to touch it, two to take a pair, [bold]h[/] hint, [bold]s[/] shuffle, "
    "[bold]n[/] begin again, [bold]q[/] leave."
)


def learn(
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Learn the game in three minutes: free and blocked tiles, pairs, hints, flowers, a shuffle."""
    target = find_endpoint(endpoint)
    run(_learn(target, profile, language), target)


async def _learn(target: str, profile: str, language: str | None) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        await LearningTable(client.learning, console(), TypedLines()).play()


class Lines(Protocol):
    """Where what is typed comes from."""

    async def next(self) -> str | None:
        """Return the next line; none at the end of the input."""
        ...


class LearningTable:
    """Shows the board and what is asked, and sends what is typed."""

    def __init__(self, learning: Learning, out: Console, lines: Lines) -> None:
        """Sit down; nothing is begun."""
        self._learning = learning
        self._out = out
        self._lines = lines

    async def play(self) -> None:
        """Begin, and go on until the board is cleared or left. The end of the input leaves."""
        await self._learning.begin()
        self._out.print(HELP)
        while not self._learning.is_done:
            self._show()
            line = await self._lines.next()
            words = "q" if line is None else line.strip().lower()
            if words == "q":
                return
            await self._obey(words)
        self._out.print(f"[bold green]✓ {escape(self._learning.instruction)}[/]")

    def _show(self) -> None:
        board = self._learning.board
        self._out.print()
        self._out.print(picture(board), soft_wrap=True)
        self._out.print(f"[dim]free:[/] {free_line(board)}")
        self._out.print(f"[bold]{escape(self._learning.instruction)}[/]")

    async def _obey(self, line: str) -> None:
        tiles = [int(word) for word in line.replace(",", " ").split() if word.isdecimal() and len(word) < 4]
        known = all(tile < len(self._learning.board.places) for tile in tiles)
        match line, tiles:
            case "h", _:
                said = await self._learning.hint()
            case "s", _:
                said = await self._learning.shuffle()
            case "n", _:
                await self._learning.begin()
                return
            case _, [tile] if known:
                said = await self._learning.touch(tile)
            case _, [first, second] if known:
                said = await self._learning.pair(first, second)
            case _:
                self._out.print(HELP)
                return
        self._out.print(f"[yellow]{escape(said)}[/]")
