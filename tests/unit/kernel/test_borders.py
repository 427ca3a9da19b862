"""What the kernel does at the borders: bad input, budgets, odd and very large groups, many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int16

import pytest

from libs import kernel
from libs.kernel.library import Workspace, library
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.solver import Crucial, NothingCrucial, Solved, Undecided, Unsolvable
from libs.rules.tiles import Face
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, STACK_OF_2, faces

BOTH_FREE, LIFT, EXACT = Pairing.BOTH_FREE, Pairing.LIFT, Matching.EXACT


def wide(tiles: int) -> Layout:
    """So many tiles that do not touch each other, on a second level from the 226th."""
    return Layout.parse("wide", [(4 * (i % 15), 4 * (i // 15 % 15), i // 225) for i in range(tiles)])


def test_an_empty_position_is_solved_by_nothing() -> None:
    """No tile is left, so no pair has to go."""
    assert kernel.solve(ROW_OF_4, faces("1m 1m 2p 2p"), 0, EXACT, BOTH_FREE) == Solved((), 0)
    assert kernel.hint(ROW_OF_4, faces("1m 1m 2p 2p"), 0, EXACT, BOTH_FREE) is None


def test_a_stack_of_a_pair_goes_by_lifting_only() -> None:
    """The lower tile is free once the upper one is lifted."""
    board = (STACK_OF_2, faces("1m 1m"), 0b11, EXACT)

    assert isinstance(kernel.solve(*board, BOTH_FREE), Unsolvable)
    solved = kernel.solve(*board, LIFT)
    assert isinstance(solved, Solved) and solved.certificate == ((1, 0),)
    crucial = kernel.crucial(*board, LIFT)
    assert isinstance(crucial, Crucial) and crucial.pair == (0, 1)


def test_an_odd_group_cannot_be_solved() -> None:
    """One tile of it would stay; all its pairs ruin what is ruined already."""
    board = (ROW_OF_4, faces("1m 1m 1m 2p"), ROW_OF_4.full, EXACT, BOTH_FREE)

    assert isinstance(kernel.solve(*board), Unsolvable)
    assert isinstance(kernel.crucial(*board), NothingCrucial)
    assert kernel.preserving_pairs(*board).ruining == tuple(kernel.available_pairs(*board))


def test_without_nodes_nothing_is_decided() -> None:
    """A budget of none leaves a position undecided that needs a search."""
    board = (ROW_OF_4, faces("1m 2p 2p 1m"), ROW_OF_4.full, EXACT, BOTH_FREE)

    assert kernel.available_pairs(*board) == [(0, 3)]
    stuck = (ROW_OF_4, faces("1m 1m 2p 2p"), ROW_OF_4.full, EXACT, BOTH_FREE)
    assert isinstance(kernel.solve(*stuck, 0), Undecided)


@pytest.mark.parametrize("tiles", [8, 16, 64])
def test_groups_of_up_to_64_are_decided(tiles: int) -> None:
    """All tiles of the board match each other."""
    layout = wide(tiles)
    board = (layout, (Face("1m"),) * tiles, layout.full, EXACT, LIFT)

    solved = kernel.solve(*board)

    assert isinstance(solved, Solved) and len(solved.certificate) == tiles // 2
    assert len(kernel.preserving_pairs(*board).preserving) == tiles * (tiles - 1) // 2


def test_larger_groups_stay_undecided_but_their_pairs_are_known() -> None:
    """A board of one face only is no game: the kernel does not search it, and says nothing wrong."""
    layout = wide(288)
    board = (layout, (Face("1m"),) * 288, layout.full, EXACT, LIFT)

    assert isinstance(kernel.solve(*board), Undecided)
    assert isinstance(kernel.crucial(*board), Undecided)
    assert kernel.available_pairs(*board) == available_pairs(*board)
    assert kernel.hint(*board) == available_pairs(*board)[0]


def test_a_position_that_the_layout_has_not_is_refused() -> None:
    """Tiles beyond the layout, tiles without a face and negative budgets are errors of the caller."""
    with pytest.raises(ValueError, match="no face"):
        kernel.solve(ROW_OF_4, faces("1m 1m"), ROW_OF_4.full, EXACT, BOTH_FREE)
    with pytest.raises(ValueError, match="kernel"):
        kernel.solve(ROW_OF_4, faces("1m 1m 2p 2p 2p"), 0b10000, EXACT, BOTH_FREE)
    with pytest.raises(ValueError, match="kernel"):
        kernel.crucial(ROW_OF_4, faces("1m 1m 2p 2p"), 1, EXACT, BOTH_FREE, -1)
    for ask in (kernel.solve, kernel.crucial):
        with pytest.raises(ValueError, match="no face"):
            ask(ROW_OF_4, faces("1m 1m"), 0b1000, EXACT, BOTH_FREE)
        with pytest.raises(ValueError, match="no face"):
            ask(ROW_OF_4, faces("1m 1m 2p 2p"), 1 << 320, EXACT, BOTH_FREE)
        with pytest.raises(ValueError, match="no face"):
            ask(ROW_OF_4, faces("1m 1m 2p 2p"), -1, EXACT, BOTH_FREE)
        with pytest.raises(ValueError, match="kernel"):
            ask(ROW_OF_4, faces("1m 1m 2p 2p"), 1, EXACT, BOTH_FREE, -(1 << 32))


def test_any_large_budget_is_enough() -> None:
    """Also one that has more bits than the kernel counts with."""
    board = (ROW_OF_4, faces("1m 2p 2p 1m"), ROW_OF_4.full, EXACT, BOTH_FREE)

    for budget in (1 << 31, 1 << 32, 1 << 70):
        assert isinstance(kernel.solve(*board, budget), Solved)
        assert kernel.crucial(*board, budget) == Crucial((0, 3), 0)


@pytest.mark.parametrize(
    "places",
    [
        [(0, 0, 0), (1, 1, 0)],
        [(63, 0, 0)],
        [(0, -1, 0)],
        [(0, 0, 16)],
        [(0, 0, -1)],
        [],
        [(4 * (i % 15), 4 * (i // 15 % 15), i // 225) for i in range(289)],
    ],
)
def test_a_malformed_layout_gets_no_handle(places: list[tuple[int, int, int]]) -> None:
    """Overlaps, places outside the grid, too many levels, no tile and too many tiles."""
    kernel_library = library()
    assert kernel_library is not None
    numbers = [number for place in places for number in place]
    handle = kernel_library.sk_layout_new((c_int16 * len(numbers))(*numbers), len(places))

    assert handle is None


def test_many_threads_ask_at_once() -> None:
    """Each has its own workspace; the answers are those of one."""
    board = (ROW_OF_4, faces("1m 2p 1m 2p"), ROW_OF_4.full, EXACT, BOTH_FREE)
    alone = kernel.solve(*board)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: kernel.solve(*board), range(400)))

    assert set(answers) == {alone}
    assert Workspace().address
