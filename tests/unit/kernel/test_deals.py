"""The kernel deals and measures exactly as the definition does."""

from __future__ import annotations

from statistics import fmean

import pytest

from libs import kernel
from libs.rules.solitaire import deal as definition
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.deal import FacePair, rivals_face_pairs
from libs.rules.solitaire.difficulty import difficulty
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.levels import deal_recipe, level_deal, recipe
from libs.rules.solitaire.prng import Prng, public_seed
from libs.rules.solitaire.solver import Solved
from libs.rules.tiles import BONUS, ORDINARY
from tests.unit.rules.solitaire.small_boards import STACK_OF_2, faces


def face_pairs(tiles: int, distinct_faces: int, bonus: bool, number: int) -> list[FacePair]:
    """Ordinary faces, and with `bonus` the eight others for the first four pairs."""
    pairs = rivals_face_pairs(tiles, distinct_faces, ORDINARY, Prng(public_seed("test/faces", number)))
    if bonus:
        pairs[:4] = zip(BONUS[::2], BONUS[1::2], strict=True)
    return pairs


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize("matching", Matching)
@pytest.mark.parametrize(
    ("name", "distinct_faces"), [("egg", 5), ("sparrow", 9), ("bridge", 15), ("lake", 34)]
)
def test_deals_and_difficulty_equal_the_definition(
    name: str, distinct_faces: int, matching: Matching, pairing: Pairing
) -> None:
    """Faces, certificate and figure, under all six rules."""
    board = layout(name)
    for number in range(5):
        pairs = face_pairs(board.size, distinct_faces, matching is not Matching.EXACT, number)
        rule, seed = (matching, pairing), public_seed("test/deal", number)
        dealt = kernel.deal(board, pairs, *rule, seed)

        assert dealt == definition.deal(board, pairs, *rule, seed)
        assert isinstance(dealt, definition.Deal)
        figure = kernel.difficulty(board, dealt.faces, *rule, 6, seed)
        assert figure == difficulty(board, dealt.faces, *rule, 6, seed)


def test_a_board_that_no_fill_clears_equals_the_definition_too() -> None:
    """Where deals are constructed, and where none exists."""
    high, seed = layout("lighthouse"), public_seed("test/deal")
    constructed = face_pairs(high.size, 34, False, 1)
    for board, pairs, pairing in (
        (high, constructed, Pairing.LIFT),
        (STACK_OF_2, [(faces("Dr")[0],) * 2], Pairing.BOTH_FREE),
    ):
        rule = (Matching.EXACT, pairing, seed)
        assert kernel.deal(board, pairs, *rule) == definition.deal(board, pairs, *rule)


@pytest.mark.parametrize("number", [1, 10, 499, 3_000, 10_990])
def test_levels_and_recipes_equal_the_definition(number: int) -> None:
    """Everybody gets the same level, with a compiler and without."""
    seed = public_seed("test/recipe", number)

    assert kernel.level_deal(number) == level_deal(number)
    assert kernel.deal_recipe(recipe(number), seed) == deal_recipe(recipe(number), seed)


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize("name", layout_names())
def test_every_layout_deals_boards_that_its_certificate_clears(name: str, pairing: Pairing) -> None:
    """With all 34 faces, the hardest that a layout is dealt."""
    board = layout(name)
    pairs = face_pairs(board.size, 34, False, 1)
    dealt = kernel.deal(board, pairs, Matching.EXACT, pairing, public_seed("test/deal"))

    assert isinstance(dealt, definition.Deal)
    assert replay(board, dealt.faces, board.full, dealt.certificate, Matching.EXACT, pairing)


@pytest.mark.parametrize("tiles", [34, 94, 144, 222, 288])
def test_any_even_number_of_tiles_can_be_dealt(tiles: int) -> None:
    """Up to the largest board, in rows of 24 on two levels."""
    places = [(2 * (t % 24), 2 * (t // 24 % 6), t // 144) for t in range(tiles)]
    board, rule = Layout.parse("rows", places), (Matching.BONUS_ANY, Pairing.BOTH_FREE)
    dealt = kernel.deal(board, face_pairs(tiles, 34, True, 1), *rule, public_seed("test/deal"))

    assert isinstance(dealt, definition.Deal)
    assert replay(board, dealt.faces, board.full, dealt.certificate, *rule)


def test_deals_are_nearly_as_hard_as_random_fills_that_the_solver_finds_solvable() -> None:
    """No thin slice: the mean difficulty lies within a tenth of theirs, and they reach as far."""
    board, rule = layout("lake"), (Matching.EXACT, Pairing.LIFT)
    pairs = face_pairs(board.size, 34, False, 1)
    fills, deals = [], []
    for number in range(200):
        seed = public_seed("test/slice", number)
        fill = tuple(Prng(seed).shuffled([face for pair in pairs for face in pair]))
        if isinstance(kernel.solve(board, fill, board.full, *rule), Solved):
            fills.append(kernel.difficulty(board, fill, *rule, 64, seed))
        dealt = kernel.deal(board, pairs, *rule, seed)
        assert isinstance(dealt, definition.Deal)
        deals.append(kernel.difficulty(board, dealt.faces, *rule, 64, seed))

    assert abs(fmean(deals) - fmean(fills)) < 0.1
    assert sum(figure > 0.95 for figure in deals) / len(deals) > 0.05
    assert sum(figure < 0.5 for figure in deals) / len(deals) > 0.05
