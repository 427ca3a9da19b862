"""Tiles as characters: the one drawing of boards and layouts in the terminal.

A tile is two lines high and, for each of its half tiles, `columns` wide. Later tiles hide earlier ones, so
lower levels are drawn first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.style import Style
from rich.text import Text

EDGE = "▌"


@dataclass(frozen=True)
class _Spot:
    character: str
    style: Style


@dataclass
class Canvas:
    """A picture in progress. `columns` is the width of a half tile, 1 or more."""

    columns: int = 2
    _spots: dict[tuple[int, int], _Spot] = field(default_factory=dict)

    def tile(self, x: int, y: int, edge: Style, lines: Sequence[tuple[str, Style]]) -> None:
        """Draw a tile at half tile (x, y): an edge at its left, then two lines of characters."""
        width = 2 * self.columns - 1
        for offset, (text, style) in enumerate(lines):
            row, column = y + offset, x * self.columns
            self._spots[row, column] = _Spot(EDGE, edge)
            for place, character in enumerate(text.ljust(width)[:width], 1):
                self._spots[row, column + place] = _Spot(character, style)

    def text(self) -> Text:
        """The picture as lines from its topmost tile on, blank where there is no tile."""
        text = Text(no_wrap=True, end="")
        if not self._spots:
            return text
        rows = range(min(row for row, _ in self._spots), max(row for row, _ in self._spots) + 1)
        width = max(column for _, column in self._spots) + 1
        for row in rows:
            for column in range(width):
                spot = self._spots.get((row, column))
                text.append(spot.character if spot else " ", spot.style if spot else None)
            text.append("\n")
        return text
