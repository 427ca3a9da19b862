"""A seat's board grows by updates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from libs.client.board_view import BoardView, Place
from libs.client.results import GameState, Outcome, Update

BOARD = BoardView(
    layout="layouts/two-rows",
    places=(Place(0, 0, 0), Place(2, 0, 0), Place(4, 0, 0), Place(0, 0, 1)),
    present=frozenset({0, 1, 2, 3}),
    faces={1: "5m", 2: "We", 3: "We"},
    lifted=3,
    free=frozenset({2, 3}),
    pair_available=True,
    version=4,
)
PAIRED = Update(
    time=datetime(2026, 11, 29, tzinfo=UTC),
    outcome=Outcome.PAIRED,
    tile=2,
    pair=(3, 2),
    blockers=None,
    uncovered={0: "5m"},
    lifted=None,
    free=frozenset({0, 1}),
    pair_available=True,
    board_version=5,
    tiles_left=2,
    state=GameState.RUNNING,
    result=None,
    next_match=None,
)


def test_a_pair_leaves_the_board_and_uncovers_faces() -> None:
    """The two tiles go with their faces; what was uncovered is known from then on."""
    after = BOARD.after(PAIRED)

    assert after.present == {0, 1}
    assert after.faces == {0: "5m", 1: "5m"}
    assert (after.lifted, after.version, after.tiles_left) == (None, 5, 2)


def test_an_update_that_is_in_the_board_already_changes_nothing() -> None:
    """The answer of a command and the stream tell the same update: the second one is ignored."""
    after = BOARD.after(PAIRED)

    assert after.after(PAIRED) is after


def test_a_board_is_blocked_only_while_tiles_are_left() -> None:
    """No pair on an empty board means cleared, on any other one it means blocked."""
    blocked = replace(BOARD, pair_available=False)
    cleared = replace(blocked, present=frozenset())

    assert (blocked.is_blocked, blocked.is_cleared) == (True, False)
    assert (cleared.is_blocked, cleared.is_cleared) == (False, True)
