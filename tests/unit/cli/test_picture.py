"""A board as characters."""

from __future__ import annotations

from libs.cli.play.picture import free_line, picture
from libs.client.board_view import BoardView, Place

BOARD = BoardView(
    layout="layouts/three",
    places=(Place(0, 0, 0), Place(2, 0, 0), Place(1, 0, 1), Place(6, 1, 0)),
    present=frozenset(range(4)),
    faces={2: "We", 3: "7m"},
    lifted=3,
    free=frozenset({2, 3}),
    pair_available=True,
    version=1,
)


def test_what_lies_on_top_is_seen_and_free_tiles_carry_a_dot() -> None:
    """Faces over numbers; the upper tile hides the seam of the lower two, whose faces are not known."""
    lines = picture(BOARD).plain.split("\n")

    assert [line.rstrip() for line in lines] == ["▌ ▌We•", "▌ ▌2        ▌7m^", "            ▌3", ""]


def test_a_tile_that_is_gone_leaves_a_blank() -> None:
    """An empty board is an empty picture."""
    gone = BoardView("layouts/none", BOARD.places, frozenset(), {}, None, frozenset(), False, 9)

    assert picture(gone).plain == ""


def test_free_tiles_are_listed_by_face() -> None:
    """The line under the board can be read, and parsed, without colours."""
    assert free_line(BOARD) == "7m 3 · We 2"
