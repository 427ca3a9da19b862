"""A whole layout as a picture: for the terminal as coloured characters, for the eye as SVG.

Higher levels are lighter. In the terminal each tile also carries the number of its level, from 1 at the
bottom, so that levels can be told apart without colours.
"""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from libs.cli.canvas import Canvas
from libs.rules.solitaire.layouts import Layout, Position

_COLOURS = (
    *("#5c4033", "#8b5a2b", "#b27c3c", "#cda05a", "#debe78", "#ecd696", "#f6e8b4", "#faf2cd"),
    *("#fdf9e1", "#fffff0", "#e3f1e4", "#c5e3d0", "#a7d3bf", "#89c0b0", "#6faca3", "#589797"),
)
"""From the bottom upwards: a colour for each of the 16 levels there can be."""
_DARK_LEVELS = 2
_INK_ON_DARK, _INK_ON_LIGHT, _EDGE = "#d9c4a5", "#5a4326", "#2a1d14"
_BOTTOM_EDGE = "▁"
_HALF_TILE = (13, 17)
"""Pixels of half a tile in the SVG, across and down."""
_STEP = 4
"""Pixels that a level is shifted by, up and to the left."""
_MARGIN = 16


def layout_picture(layout: Layout, columns_max: int) -> Text:
    """Draw the layout in four columns a tile, or in two where four take more than `columns_max`."""
    left, top, right, _ = _bounds(layout)
    canvas = Canvas(columns=2 if 2 * (right - left) <= columns_max else 1)
    width = 2 * canvas.columns - 1
    for x, y, z in _from_below(layout):
        ground = _COLOURS[z]
        edge = Style(color=_EDGE, bgcolor=ground)
        ink = Style(color=_INK_ON_DARK if z < _DARK_LEVELS else _INK_ON_LIGHT, bgcolor=ground)
        label = f"{z + 1}" if width > 1 or z < 9 else "+"
        canvas.tile(x - left, y - top, edge, ((label.center(width), ink), (_BOTTOM_EDGE * width, edge)))
    return canvas.text()


def layout_svg(layout: Layout) -> str:
    """Return the layout as an SVG document. The name, which a file may give, is not part of it."""
    left, top, right, bottom = _bounds(layout)
    across, down = _HALF_TILE
    lift = _STEP * (layout.levels - 1)
    width = (right - left) * across + lift + 2 * _MARGIN
    height = (bottom - top) * down + lift + 2 * _MARGIN
    size = f'width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
        f'<rect {size} fill="#1e2822"/>',
    ]
    size = f'width="{2 * across - 1}" height="{2 * down - 1}" rx="3"'
    for x, y, z in _from_below(layout):
        at_x = _MARGIN + lift + (x - left) * across - z * _STEP
        at_y = _MARGIN + lift + (y - top) * down - z * _STEP
        parts.append(f'<rect x="{at_x + _STEP}" y="{at_y + _STEP}" {size} fill="#120d0a"/>')
        parts.append(
            f'<rect x="{at_x}" y="{at_y}" {size} fill="{_COLOURS[z]}" stroke="{_EDGE}" stroke-width="1"/>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _from_below(layout: Layout) -> list[Position]:
    """The tiles in the order in which they hide each other."""
    return sorted(layout.tiles, key=lambda tile: (tile.z, tile.y, tile.x))


def _bounds(layout: Layout) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of all tiles, in half tiles."""
    xs, ys = [tile.x for tile in layout.tiles], [tile.y for tile in layout.tiles]
    return min(xs), min(ys), max(xs) + 2, max(ys) + 2
