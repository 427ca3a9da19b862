"""Deals: always solvable, repeatable, and of the faces that the rules name."""

from __future__ import annotations

from collections import Counter

import pytest

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.deal import TRIES_MAX, Deal, NoDeal, constructed_deal, deal, rivals_face_pairs
from libs.rules.solitaire.difficulty import difficulty
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng, child_seed, public_seed
from libs.rules.tiles import ORDINARY
from tests.unit.rules.solitaire.small_boards import STACK_OF_2, faces

SEED = public_seed("test/deal")


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize("name", ["egg", "sparrow", "bridge", "lake"])
def test_deals_are_solvable(name: str, pairing: Pairing) -> None:
    """The certificate clears the board, as the independent checker finds."""
    board = layout(name)
    for number in range(5):
        pairs = rivals_face_pairs(board.size, 9, ORDINARY, Prng(public_seed("test/faces", number)))
        dealt = deal(board, pairs, Matching.EXACT, pairing, public_seed("test/deal", number))

        assert isinstance(dealt, Deal)
        assert replay(board, dealt.faces, board.full, dealt.certificate, Matching.EXACT, pairing)
        assert sorted(dealt.faces) == sorted(face for pair in pairs for face in pair)


def test_the_same_seed_gives_the_same_deal_and_another_seed_another() -> None:
    """A deal is a function of layout, faces, rules and seed."""
    board = layout("sparrow")
    pairs = rivals_face_pairs(board.size, 9, ORDINARY, Prng(SEED))

    assert deal(board, pairs, Matching.EXACT, Pairing.LIFT, SEED) == deal(
        board, pairs, Matching.EXACT, Pairing.LIFT, SEED
    )
    assert deal(board, pairs, Matching.EXACT, Pairing.LIFT, SEED) != deal(
        board, pairs, Matching.EXACT, Pairing.LIFT, public_seed("other")
    )


def test_a_layout_that_cannot_be_dealt_is_recognised() -> None:
    """Two stacked tiles never clear under both_free: an answer, not an endless loop."""
    pairs = [(faces("Dr")[0], faces("Dr")[0])]

    assert deal(STACK_OF_2, pairs, Matching.EXACT, Pairing.BOTH_FREE, SEED) == NoDeal(TRIES_MAX)
    assert isinstance(deal(STACK_OF_2, pairs, Matching.EXACT, Pairing.LIFT, SEED), Deal)


@pytest.mark.parametrize("tiles", [2, 18, 34, 68, 94, 136, 144])
def test_rivals_faces_are_ordinary_in_whole_groups_of_four_and_at_most_one_pair(tiles: int) -> None:
    """Every face appears an even number of times; a remainder of two is one group of two."""
    pairs = rivals_face_pairs(tiles, 34, ORDINARY, Prng(SEED))
    counts = Counter(face for pair in pairs for face in pair)

    assert sum(counts.values()) == tiles
    assert set(counts) <= set(ORDINARY)
    assert [count % 4 for count in counts.values()].count(2) == tiles % 4 // 2
    assert all(count % 2 == 0 for count in counts.values())


def test_few_distinct_faces_come_round_again() -> None:
    """Three faces on 24 tiles make three groups of eight."""
    pairs = rivals_face_pairs(24, 3, ORDINARY, Prng(SEED))

    assert sorted(Counter(face for pair in pairs for face in pair).values()) == [8, 8, 8]


def test_where_no_fill_is_cleared_the_board_is_constructed() -> None:
    """A pile of 16 with eight faces: few arrangements can be solved, and a deal is found all the same."""
    pile = Layout.parse("pile", [(0, 0, z) for z in range(16)])
    pairs = rivals_face_pairs(16, 8, ORDINARY, Prng(SEED))
    dealt = deal(pile, pairs, Matching.EXACT, Pairing.LIFT, SEED)

    assert dealt == constructed_deal(pile, pairs, Pairing.LIFT, child_seed(SEED, "constructed"))
    assert isinstance(dealt, Deal)
    assert replay(pile, dealt.faces, pile.full, dealt.certificate, Matching.EXACT, Pairing.LIFT)


def test_under_lift_deals_hold_pairs_that_only_lifting_makes() -> None:
    """The set of deals is not the thinner one of both_free."""
    board = layout("bridge")
    pairs = rivals_face_pairs(board.size, 15, ORDINARY, Prng(SEED))
    only_lift = 0
    for number in range(10):
        dealt = deal(board, pairs, Matching.EXACT, Pairing.LIFT, public_seed("test/deal", number))
        assert isinstance(dealt, Deal)
        rule = (Matching.EXACT, Pairing.BOTH_FREE)
        only_lift += not replay(board, dealt.faces, board.full, dealt.certificate, *rule)

    assert only_lift >= 8


def test_deals_of_one_recipe_reach_from_easy_to_hard() -> None:
    """The set of deals is no thin slice: some boards clear every other time, others hardly ever."""
    board = layout("lake")
    figures = []
    for number in range(40):
        pairs = rivals_face_pairs(board.size, 34, ORDINARY, Prng(public_seed("test/faces", number)))
        dealt = deal(board, pairs, Matching.EXACT, Pairing.LIFT, public_seed("test/deal", number))
        assert isinstance(dealt, Deal)
        figures.append(difficulty(board, dealt.faces, Matching.EXACT, Pairing.LIFT, 8, SEED))

    assert sum(figure <= 0.5 for figure in figures) >= 4
    assert sum(figure >= 0.85 for figure in figures) >= 4
