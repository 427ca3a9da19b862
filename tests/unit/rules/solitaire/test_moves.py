"""Available pairs under both pairings."""

from __future__ import annotations

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs, can_pair, has_available_pair
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, STACK_OF_2, faces

EXACT = Matching.EXACT
BOTH_FREE = Pairing.BOTH_FREE
LIFT = Pairing.LIFT


def test_both_free_wants_both_tiles_free_before_either_is_touched() -> None:
    """The two ends of a row pair; an end and its neighbour do not."""
    row = faces("1m 2m 2m 1m")
    neighbours = faces("1m 1m 2m 2m")

    assert available_pairs(ROW_OF_4, row, ROW_OF_4.full, EXACT, BOTH_FREE) == [(0, 3)]
    assert not has_available_pair(ROW_OF_4, neighbours, ROW_OF_4.full, EXACT, BOTH_FREE)


def test_lifting_can_open_a_side_neighbour() -> None:
    """Under lift an end pairs with its neighbour, which the lifted end had closed."""
    neighbours = faces("1m 1m 2m 2m")

    assert available_pairs(ROW_OF_4, neighbours, ROW_OF_4.full, EXACT, LIFT) == [(0, 1), (2, 3)]


def test_lifting_can_uncover_a_tile_below() -> None:
    """Under lift the two tiles of a stack pair; under both_free they never do."""
    same = faces("Dr Dr")

    assert available_pairs(STACK_OF_2, same, STACK_OF_2.full, EXACT, LIFT) == [(0, 1)]
    assert available_pairs(STACK_OF_2, same, STACK_OF_2.full, EXACT, BOTH_FREE) == []


def test_under_lift_the_order_matters_for_legality() -> None:
    """The tile below cannot be lifted first."""
    same = faces("Dr Dr")

    assert can_pair(STACK_OF_2, same, STACK_OF_2.full, 1, 0, EXACT, LIFT)
    assert not can_pair(STACK_OF_2, same, STACK_OF_2.full, 0, 1, EXACT, LIFT)


def test_a_tile_makes_no_pair_with_itself_or_with_a_tile_that_is_gone() -> None:
    """Only two different tiles that are on the board pair."""
    row = faces("1m 1m 1m 1m")

    assert not can_pair(ROW_OF_4, row, ROW_OF_4.full, 0, 0, EXACT, LIFT)
    assert not can_pair(ROW_OF_4, row, 0b0111, 0, 3, EXACT, LIFT)


def test_an_empty_board_has_no_pair() -> None:
    """Nothing is left to take."""
    assert available_pairs(ROW_OF_4, faces("1m 1m 1m 1m"), 0, EXACT, LIFT) == []


def test_bonus_tiles_pair_as_their_matching_says() -> None:
    """A flower and a season are a pair for bonus_any only."""
    layout = Layout.parse("apart", [(0, 0, 0), (6, 0, 0), (12, 0, 0), (18, 0, 0)])
    bonus = faces("Fl1 Fl2 Se1 Se1")

    assert available_pairs(layout, bonus, layout.full, EXACT, BOTH_FREE) == [(2, 3)]
    assert available_pairs(layout, bonus, layout.full, Matching.FLOWERS_SEASONS, BOTH_FREE) == [
        (0, 1),
        (2, 3),
    ]
    assert len(available_pairs(layout, bonus, layout.full, Matching.BONUS_ANY, BOTH_FREE)) == 6
