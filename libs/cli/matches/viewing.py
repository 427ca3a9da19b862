"""A game seen again in the terminal: the board of one seat after each of its steps, by keys or by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from libs.cli.matches.telling import placing_lines, step_line, unsolvable_lines, who
from libs.cli.play.picture import picture
from libs.cli.stepping import Lines, Steps
from libs.cli.terminal import foreign
from libs.client.board_view import BoardView
from libs.client.replay_boards import boards
from libs.client.replays import Replay
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import free_mask
from libs.rules.solitaire.layouts import Layout


@dataclass(frozen=True)
class Frame:
    """The board of a seat, and the step that led to it; none for the board as it was dealt."""

    number: int
    at_ms: int
    said: str
    board: BoardView


def frames(told: Replay, seat: int, names: Mapping[str, str]) -> list[Frame]:
    """Return what there is to see of a seat: its board as dealt, and after each of its own steps."""
    dealt = told.boards[told.seats[seat].board]
    layout = Layout.parse("board", dealt.places)

    def view(left: Mapping[int, str]) -> BoardView:
        present = sum(1 << tile for tile in left)
        return BoardView(
            layout=dealt.layout,
            places=dealt.places,
            present=frozenset(left),
            faces={tile: face for tile, face in left.items() if face},
            lifted=None,
            free=frozenset(bits(free_mask(layout, present))),
            pair_available=True,
            version=0,
        )

    first, *after = boards(told, seat)
    own = [(step, left) for step, left in zip(told.steps, after, strict=True) if step.seat == seat]
    return [
        Frame(0, 0, f"{who(told, seat, names)}'s board as it was dealt", view(first)),
        *(
            Frame(number, step.at_ms, step_line(told, step, names), view(left))
            for number, (step, left) in enumerate(own, 1)
        ),
    ]


class Viewer:
    """Shows the frames of one seat."""

    def __init__(self, told: Replay, seat: int, names: Mapping[str, str], out: Console) -> None:
        """Sit down before the board as it was dealt."""
        self._told = told
        self._names = names
        self._out = out
        self._frames = frames(told, seat, names)
        self._steps = Steps([frame.at_ms for frame in self._frames], self._show, self._end)

    async def by_keys(self, lines: Lines) -> None:
        """Go where what is typed leads, until the end is passed, "q", or the end of the input."""
        await self._steps.by_keys(lines, self._out)

    async def by_itself(
        self, speed: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """Go through all frames, `speed` times as fast as it was played."""
        await self._steps.by_itself(speed, sleep)

    def _show(self, number: int) -> None:
        frame = self._frames[number]
        self._out.print()
        self._out.print(picture(frame.board), soft_wrap=True)
        count = len(self._frames) - 1
        self._out.print(Text.assemble((f"{frame.number}/{count} ", "dim"), foreign(frame.said)))

    def _end(self) -> None:
        for line in (*placing_lines(self._told, self._names), *unsolvable_lines(self._told, self._names)):
            self._out.print(foreign(line))
