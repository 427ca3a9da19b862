"""A layout as a picture."""

from __future__ import annotations

from xml.parsers import expat

import pytest

from libs.cli.layout_picture import layout_picture, layout_svg
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.layouts import Layout

HEAP = Layout.parse("heap", [(0, 0, 0), (2, 0, 0), (1, 0, 1), (6, 1, 0)])


def test_levels_are_told_apart_by_number_and_what_lies_on_top_is_seen() -> None:
    """Four columns and two lines a tile; the upper tile lies on the seam of two."""
    lines = [line.rstrip() for line in layout_picture(HEAP, 100).plain.split("\n")]

    assert lines == ["▌ ▌ 2 1", "▌▁▌▁▁▁▁▁    ▌ 1", "            ▌▁▁▁", ""]


def test_a_layout_too_wide_for_the_terminal_is_drawn_narrower() -> None:
    """In two columns a tile."""
    assert [len(line) for line in layout_picture(HEAP, 15).plain.split("\n")] == [8, 8, 8, 0]


@pytest.mark.parametrize("name", layout_names())
def test_every_layout_of_the_catalogue_fits_into_80_columns(name: str) -> None:
    """In four columns a tile."""
    board = layout(name)
    widest = max(map(len, layout_picture(board, 80).plain.split("\n")))

    assert widest == 2 * (2 + max(tile.x for tile in board.tiles)) <= 80


def test_the_svg_is_sound_xml_with_a_shape_for_every_tile() -> None:
    """A shadow and a tile each, before a ground."""
    shapes: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: shapes.append(name)
    parser.Parse(layout_svg(HEAP), True)

    assert shapes == ["svg", *["rect"] * (1 + 2 * HEAP.size)]
