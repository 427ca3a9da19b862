"""The difficulty figure: what its ends mean."""

from __future__ import annotations

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.difficulty import difficulty
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import public_seed
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, STACK_OF_2, faces

SEED = public_seed("test")


def test_a_board_that_cannot_go_wrong_has_difficulty_0() -> None:
    """One line of play, and it clears."""
    assert difficulty(ROW_OF_4, faces("1m 2m 2m 1m"), Matching.EXACT, Pairing.BOTH_FREE, 10, SEED) == 0.0


def test_a_board_that_is_never_cleared_has_difficulty_1() -> None:
    """Two stacked tiles under both_free."""
    assert difficulty(STACK_OF_2, faces("Dr Dr"), Matching.EXACT, Pairing.BOTH_FREE, 10, SEED) == 1.0


def test_one_wrong_pair_of_three_ruins_a_third_of_the_plays() -> None:
    """A stack of one face and two more tiles of it: the two must not go together."""
    layout = Layout.parse("spare", [(0, 0, 0), (0, 0, 1), (6, 0, 0), (12, 0, 0)])
    figure = difficulty(layout, faces("1m 1m 1m 1m"), Matching.EXACT, Pairing.BOTH_FREE, 600, SEED)

    assert 0.27 < figure < 0.40


def test_the_figure_of_a_seed_is_repeatable() -> None:
    """The same plays on every machine."""
    board = (ROW_OF_4, faces("1m 1m 1m 1m"), Matching.EXACT, Pairing.LIFT)

    assert difficulty(*board, 20, SEED) == difficulty(*board, 20, SEED)
