"""A fault of geometry that another program had: impossible here (case 1 of `test_reported_cases`)."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import free_tiles, is_free
from libs.rules.solitaire.layouts import Layout


@pytest.mark.parametrize("height", [1, 2, 3, 15])
def test_a_tile_under_a_bridge_is_covered_however_high_the_bridge_is(height: int) -> None:
    """Only the level directly above was looked at there, and tiles under a gap could be taken."""
    board = Layout.parse("gap", [(4, 4, 0), (5, 5, height)])

    assert free_tiles(board, board.full) == (1,)
    assert is_free(board, board.full & ~(1 << 1), 0)


def test_a_corner_that_only_touches_does_not_cover() -> None:
    """The other way round: areas that share an edge or a corner leave the tile free."""
    board = Layout.parse("corners", [(4, 4, 0), (6, 6, 1), (2, 4, 2), (4, 2, 3)])

    assert is_free(board, board.full, 0)
