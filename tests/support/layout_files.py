"""Layout files of other programs' formats, written from places."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final
from xml.sax.saxutils import quoteattr

from libs.rules.solitaire.layouts import Position

OWN_LAYOUTS: Final = Path(__file__).parents[1] / "data" / "layouts"
FOREIGN_LAYOUTS: Final = Path(__file__).parents[3] / "shared" / "data" / "solitaire" / "original"
"""Files of other programs, under their licences: beside the repository, where they are at hand."""

V1_0: Final = "kmahjongg-layout-v1.0"
V1_1: Final = "kmahjongg-layout-v1.1"


def cell_rows(tiles: Iterable[Position], width: int, height: int, depth: int) -> list[str]:
    """The lines of a KMahjongg board: four quarters a tile, levels below each other."""
    cells = [["."] * width for _ in range(height * depth)]
    for x, y, z in tiles:
        for dx, dy, quarter in ((0, 0, "1"), (1, 0, "2"), (1, 1, "3"), (0, 1, "4")):
            cells[z * height + y + dy][x + dx] = quarter
    return ["".join(row) for row in cells]


def kmahjongg_v1_0(tiles: Iterable[Position]) -> str:
    """A file of version 1.0, which is always 32 x 16 x 5."""
    return "\n".join([V1_0, "# a comment", *cell_rows(tiles, 32, 16, 5), ""])


def kmahjongg_v1_1(tiles: Iterable[Position], width: int, height: int, depth: int) -> str:
    """A file of version 1.1 with its size."""
    size = [f"w{width}", f"h{height}", f"d{depth}"]
    return "\n".join([V1_1, *size, "# a comment", *cell_rows(tiles, width, height, depth), ""])


def gnome_map(name: str, tiles: Iterable[Position]) -> str:
    """A file with one map that places every tile alone, one a line."""
    placed = [f'<tile x="{x / 2:g}" y="{y / 2:g}" z="{z}"/>' for x, y, z in tiles]
    return "\n".join(["<mahjongg>", f"<map name={quoteattr(name)}>", *placed, "</map>", "</mahjongg>", ""])
