"""Faults that were reported in other mahjong solitaire programs and cannot happen here.

By the number of each kind: what holds it off. Tests without a file stand below; the others stand where the
rule that they prove stands, "match" is unit/match/test_reported_cases, "property" a file in property/rules.

 1. A tile under a bridge counted as free: test_board, "covered"; test_catalogue, "bridge".
 3. Tiles without faces where nothing can be solved: test_shuffle, "two stacked tiles".
 5. Hardly more than one line of play: test_deal, "easy to hard" and "spread over the line of play"; property
    test_shuffle, "laid along a line".
 7. One more timer for every pair: match, case 7; test_rivals_clocks, "gives 20 seconds more".
 9. Stuck, and no way on: match, cases 9 and 11; test_touching, "is blocked".
11. Nothing to be done when stuck, and the clock goes on: match, cases 9 and 11; test_rivals_endings, "blocked
    player". A joker can still clear a blocked level, so its clock goes on; time counts once it is cleared.
13. A tile stays selected on the next board: match, case 13.
15. A silent dead end after a shuffle: case 15.
17. An endless loop over a layout that cannot be loaded: the tests of layout import.
19. Counts and hints of an earlier board: case 19; match, case 19.
21. Moves after the end, points twice: test_attempt, "after the end"; test_rivals_endings, "after the end";
    integration/match/test_playing, "finishing touch".
23. Odd match groups on small boards: case 23; test_deal, "whole groups of four".
25. A shuffle that goes on failing: test_shuffle, "its budget"; property test_shuffle, "no arrangement".
27. Other faces after a shuffle: property test_shuffle, "stuck positions of every layout".
29. "No more moves" although there are: case 29; property test_definitions, "available pairs".
31. No other try at the same board: match, case 31.
33. An unproved board called solvable: case 33; test_deal, "cannot be dealt".
"""

from __future__ import annotations

from itertools import chain

import pytest

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.deal import Deal, deal, rivals_face_pairs
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs, has_available_pair
from libs.rules.solitaire.prng import Prng, public_seed
from libs.rules.solitaire.shuffle import Moved, Shuffled, shuffle_race
from libs.rules.solitaire.solver import hint
from libs.rules.tiles import ORDINARY
from tests.unit.rules.solitaire.small_boards import STACK_OF_2, TWO_STACKS, faces

RACE = Matching.FLOWERS_SEASONS, Pairing.BOTH_FREE
DEAD = Layout.parse("two rows", [(2 * column, 2 * row, 0) for row in range(2) for column in range(4)])


def test_case_15_after_a_shuffle_there_is_a_move_again() -> None:
    """Whatever the seed: a shuffle never ends in another dead board."""
    stuck = faces("1m 2m 2m 1m")
    assert not has_available_pair(TWO_STACKS, stuck, TWO_STACKS.full, *RACE)

    for number in range(50):
        seed = public_seed("test/case 15", number)
        answer = shuffle_race(TWO_STACKS, stuck, TWO_STACKS.full, *RACE, ((1, 3), (0, 2)), seed)
        assert has_available_pair(TWO_STACKS, answer.faces, TWO_STACKS.full, *RACE)


@pytest.mark.parametrize("pairing", Pairing)
def test_case_19_every_hint_is_a_pair_of_the_board_as_it_is(pairing: Pairing) -> None:
    """Hint after hint is available when it is given, and together they clear a solvable board."""
    board = layout("sparrow")
    dealt = deal(
        board,
        rivals_face_pairs(board.size, 9, ORDINARY, Prng(public_seed("a"))),
        Matching.EXACT,
        pairing,
        public_seed("b"),
    )
    assert isinstance(dealt, Deal)
    present = board.full
    while present:
        pair = hint(board, dealt.faces, present, Matching.EXACT, pairing)
        assert pair in available_pairs(board, dealt.faces, present, Matching.EXACT, pairing)
        present &= ~(1 << pair[0] | 1 << pair[1])


def test_case_19_a_hint_after_a_shuffle_is_one_of_the_new_board() -> None:
    """Faces are asked for anew each time: nothing of the board before is kept."""
    before = faces("1m 2m 2m 1m 3m 4m 4m 3m")
    answer = shuffle_race(DEAD, before, DEAD.full, *RACE, (), public_seed("test/case 19"))

    pair = hint(DEAD, answer.faces, DEAD.full, *RACE)
    assert pair in available_pairs(DEAD, answer.faces, DEAD.full, *RACE)
    assert pair is not None
    assert answer.faces[pair[0]] == answer.faces[pair[1]]


@pytest.mark.parametrize("tiles", range(2, 290, 2))
def test_case_23_the_faces_of_a_board_come_in_pairs_whatever_its_size(tiles: int) -> None:
    """No board has an odd number of a face."""
    dealt = [*chain.from_iterable(rivals_face_pairs(tiles, 34, ORDINARY, Prng(public_seed("test", tiles))))]

    assert len(dealt) == tiles
    assert all(dealt.count(face) % 2 == 0 for face in set(dealt))


def test_case_29_a_pair_that_only_lifting_makes_is_a_move_that_is_left() -> None:
    """The verdict follows the pairing of the mode: under both_free the same two tiles are stuck."""
    pair = faces("1m 1m")

    assert has_available_pair(STACK_OF_2, pair, STACK_OF_2.full, Matching.EXACT, Pairing.LIFT)
    assert not has_available_pair(STACK_OF_2, pair, STACK_OF_2.full, Matching.EXACT, Pairing.BOTH_FREE)


def test_case_29_two_flowers_are_a_move_where_flowers_match() -> None:
    """The verdict follows the matching of the mode as well."""
    row = Layout.parse("row", [(2 * column, 0, 0) for column in range(4)])
    board = faces("Fl1 1m 1m Fl2")

    assert has_available_pair(row, board, row.full, *RACE)
    assert not has_available_pair(row, board, row.full, Matching.EXACT, Pairing.BOTH_FREE)


@pytest.mark.parametrize("name", layout_names())
def test_case_33_what_a_shuffle_calls_solvable_carries_its_proof(name: str) -> None:
    """Of every layout, also in the state of three tiles of four gone: the certificate clears it."""
    board = layout(name)
    dealt = deal(
        board,
        rivals_face_pairs(board.size, 34, ORDINARY, Prng(public_seed(name))),
        *RACE,
        public_seed("c"),
    )
    assert isinstance(dealt, Deal)
    gone = dealt.certificate[: len(dealt.certificate) * 3 // 4]
    present = board.full & ~sum(1 << tile for pair in gone for tile in pair)
    answer = shuffle_race(board, dealt.faces, present, *RACE, dealt.certificate, public_seed("d"))

    assert isinstance(answer, Shuffled | Moved)
    places = answer.present if isinstance(answer, Moved) else present
    assert replay(board, answer.faces, places, answer.certificate, *RACE)
