"""The catalogue: the layouts that Sparrow brings along, all drawn for it."""

from __future__ import annotations

from functools import cache
from typing import Final

from libs.rules.solitaire.catalogue_art import DRAWINGS, Drawing
from libs.rules.solitaire.layouts import Layout, Position

CATALOGUE_VERSION: Final = 1
"""Part of the identity of every deal and level: a change that alters any of them is a new version."""


def layout_names() -> tuple[str, ...]:
    """All layouts, smallest first."""
    return tuple(DRAWINGS)


@cache
def layout(name: str) -> Layout:
    """The layout of this name. Raises KeyError for a name that `layout_names` does not hold."""
    return Layout.parse(name, read_drawing(DRAWINGS[name]))


def read_drawing(drawing: Drawing) -> list[Position]:
    """The places of a drawing: part by part, row by row, left to right."""
    return [
        Position(x + 2 * column, y + 2 * row, z)
        for z, x, y, rows in drawing
        for row, line in enumerate(rows.split())
        for column, cell in enumerate(line)
        if cell == "#"
    ]
