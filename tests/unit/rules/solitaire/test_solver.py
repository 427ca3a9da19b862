"""The solver's answers on boards small enough to see, and the checker of its certificates."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.solver import (
    Crucial,
    NothingCrucial,
    Solved,
    Undecided,
    Unsolvable,
    crucial,
    hint,
    preserving_pairs,
    solve,
)
from libs.rules.tiles import BONUS, Face
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, STACK_OF_2, faces

EXACT = Matching.EXACT
BOTH_FREE = Pairing.BOTH_FREE
LIFT = Pairing.LIFT


def test_the_empty_board_is_solved() -> None:
    """Nothing to remove is an empty certificate."""
    assert isinstance(solve(ROW_OF_4, faces("1m 1m 2m 2m"), 0, EXACT, LIFT), Solved)


def test_two_stacked_tiles_are_solvable_under_lift_only() -> None:
    """The certificate lifts the upper one first."""
    dragons = faces("Dr Dr")

    assert isinstance(solve(STACK_OF_2, dragons, STACK_OF_2.full, EXACT, BOTH_FREE), Unsolvable)
    answer = solve(STACK_OF_2, dragons, STACK_OF_2.full, EXACT, LIFT)
    assert isinstance(answer, Solved)
    assert answer.certificate == ((1, 0),)


def test_an_odd_group_is_unsolvable_without_any_search() -> None:
    """Three tiles of a face never go, however free they are."""
    layout = Layout.parse("apart", [(0, 0, 0), (6, 0, 0), (12, 0, 0), (18, 0, 0)])

    assert solve(layout, faces("1m 1m 1m 2m"), layout.full, EXACT, LIFT) == Unsolvable(0)
    assert preserving_pairs(layout, faces("1m 1m 1m 2m"), layout.full, EXACT, LIFT).preserving == ()
    assert crucial(layout, faces("1m 1m 1m 2m"), layout.full, EXACT, LIFT) == NothingCrucial(0)


def test_a_group_of_eight_bonus_tiles_is_one_group() -> None:
    """With bonus_any eight different bonus tiles clear in any partnership."""
    row = Layout.parse("row of 8", [(2 * i, 0, 0) for i in range(8)])

    assert isinstance(solve(row, BONUS, row.full, Matching.BONUS_ANY, BOTH_FREE), Solved)
    assert isinstance(solve(row, BONUS, row.full, Matching.FLOWERS_SEASONS, BOTH_FREE), Unsolvable)
    assert isinstance(solve(row, BONUS, row.full, EXACT, BOTH_FREE), Unsolvable)


def test_without_nodes_the_answer_is_undecided_never_a_guess() -> None:
    """A budget of nothing decides nothing; every pair is reported as undecided."""
    row = faces("1m 2m 2m 1m")

    assert solve(ROW_OF_4, row, ROW_OF_4.full, EXACT, LIFT, node_budget=0) == Undecided(0)
    assert crucial(ROW_OF_4, row, ROW_OF_4.full, EXACT, LIFT, node_budget=0) == Undecided(0)
    assert preserving_pairs(ROW_OF_4, row, ROW_OF_4.full, EXACT, LIFT, node_budget=0).undecided == ((0, 3),)


def test_the_only_available_pair_of_a_solvable_position_is_crucial() -> None:
    """Also when there is nothing to choose."""
    row = faces("1m 2m 2m 1m")

    assert isinstance(answer := crucial(ROW_OF_4, row, ROW_OF_4.full, EXACT, BOTH_FREE), Crucial)
    assert answer.pair == (0, 3)


def test_the_only_preserving_pair_among_several_is_crucial() -> None:
    """Of three available pairs two ruin the board: only 1 with 3 frees what lies under 3 and 1."""
    places = [(2, 0, 0), (1, 0, 1), (3, 0, 1), (10, 0, 1), (10, 0, 0), (16, 0, 0)]
    layout = Layout.parse("choice", places)
    board = faces("1m 1m 2m 1m 2m 1m")

    verdicts = preserving_pairs(layout, board, layout.full, EXACT, BOTH_FREE)

    assert (verdicts.preserving, verdicts.ruining) == (((1, 3),), ((1, 5), (3, 5)))
    assert isinstance(answer := crucial(layout, board, layout.full, EXACT, BOTH_FREE), Crucial)
    assert answer.pair == (1, 3)


def test_two_preserving_pairs_are_neither_of_them_crucial() -> None:
    """A stack of one face with two more tiles of it: either of the two may take the upper one."""
    layout = Layout.parse("spare", [(0, 0, 0), (0, 0, 1), (6, 0, 0), (12, 0, 0)])
    board = faces("1m 1m 1m 1m")

    verdicts = preserving_pairs(layout, board, layout.full, EXACT, BOTH_FREE)

    assert (verdicts.preserving, verdicts.ruining) == (((1, 2), (1, 3)), ((2, 3),))
    assert isinstance(crucial(layout, board, layout.full, EXACT, BOTH_FREE), NothingCrucial)


def test_nothing_is_crucial_on_an_unsolvable_position() -> None:
    """Even when exactly one pair is available."""
    layout = Layout.parse("dead", [(0, 0, 0), (0, 0, 1), (6, 0, 0), (10, 0, 0)])
    board = faces("2m 2m 1m 1m")

    assert preserving_pairs(layout, board, layout.full, EXACT, BOTH_FREE).ruining == ((2, 3),)
    assert isinstance(crucial(layout, board, layout.full, EXACT, BOTH_FREE), NothingCrucial)


def test_a_hint_without_pairs_is_none_and_on_a_dead_board_any_pair() -> None:
    """Hints are about what is available now."""
    layout = Layout.parse("dead", [(0, 0, 0), (0, 0, 1), (6, 0, 0), (10, 0, 0)])

    assert hint(layout, faces("2m 2m 1m 1m"), layout.full, EXACT, BOTH_FREE) == (2, 3)
    assert hint(layout, faces("1m 2m 2m 1m"), 0b0011, EXACT, BOTH_FREE) is None


def test_a_pool_hint_is_of_the_highest_value() -> None:
    """Value comes first, solvability breaks ties."""
    layout = Layout.parse("apart", [(6 * i, 0, 0) for i in range(6)])
    board = faces("1m 1m 2p 2p 3s 3s")

    def value(first: Face, second: Face) -> int:
        """The suit's value."""
        assert first == second
        return " mps".index(first[1])

    assert hint(layout, board, layout.full, EXACT, BOTH_FREE, value=value) == (4, 5)
    assert hint(layout, board, layout.full, EXACT, BOTH_FREE) == (0, 1)


@pytest.mark.parametrize(
    ("certificate", "accepted"),
    [
        ([(0, 3), (1, 2)], True),
        ([(3, 0), (2, 1)], True),
        ([(1, 2), (0, 3)], False),
        ([(0, 3)], False),
        ([(0, 3), (1, 2), (1, 2)], False),
        ([(0, 0), (1, 2)], False),
        ([], False),
    ],
)
def test_the_checker_accepts_only_legal_lines_that_clear_the_board(
    certificate: list[tuple[int, int]], accepted: bool
) -> None:
    """Wrong order, too short, too long and a tile with itself are all refused."""
    board = faces("1m 2m 2m 1m")

    assert replay(ROW_OF_4, board, ROW_OF_4.full, certificate, EXACT, BOTH_FREE) == accepted


def test_the_same_question_takes_the_same_nodes() -> None:
    """The search is deterministic: no clock and no chance takes part."""
    board = faces("1m 2m 2m 1m")
    answers = {solve(ROW_OF_4, board, ROW_OF_4.full, EXACT, LIFT) for _ in range(3)}

    assert len(answers) == 1
