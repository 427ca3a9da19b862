"""The catalogue: the layouts that Sparrow brings along, all drawn for it."""

from __future__ import annotations

from functools import cache
from typing import Final

from libs.rules.solitaire.art.birds import BIRDS
from libs.rules.solitaire.art.buildings import BUILDINGS
from libs.rules.solitaire.art.motifs import MOTIFS
from libs.rules.solitaire.art.nature import NATURE
from libs.rules.solitaire.catalogue_art import DRAWINGS, Drawing
from libs.rules.solitaire.layouts import Layout, Position

CATALOGUE_VERSION: Final = 1
"""Part of the identity of every deal and level: a change that alters any of them is a new version."""

_ALL: Final[dict[str, Drawing]] = {**DRAWINGS, **BIRDS, **NATURE, **BUILDINGS, **MOTIFS}
_PILE_MAX: Final = 9


@cache
def layout_names() -> tuple[str, ...]:
    """All layouts, smallest first."""
    return tuple(sorted(_ALL, key=lambda name: len(read_drawing(_ALL[name]))))


@cache
def layout(name: str) -> Layout:
    """The layout of this name. Raises KeyError for a name that `layout_names` does not hold."""
    return Layout.parse(name, read_drawing(_ALL[name]))


def read_drawing(drawing: Drawing) -> list[Position]:
    """The places of a drawing: part by part, lower levels first, row by row, left to right."""
    return [
        Position(x + 2 * column, y + 2 * row, z + level)
        for z, x, y, rows in drawing
        for level in range(_PILE_MAX)
        for row, line in enumerate(rows.split())
        for column, cell in enumerate(line)
        if level < _pile(cell)
    ]


def _pile(cell: str) -> int:
    """How many tiles lie on each other in a cell."""
    return int(cell) if cell.isdecimal() else int(cell == "#")
