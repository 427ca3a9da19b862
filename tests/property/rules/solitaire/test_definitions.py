"""Masks, moves, touching and the solver agree with the plain definitions on random small boards."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.board import (
    Closed,
    Covered,
    Matching,
    Pairing,
    blockers,
    free_mask,
    free_mask_after,
    free_tiles,
    is_free,
)
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.moves import available_pairs, can_pair, has_available_pair
from libs.rules.solitaire.solver import Crucial, NothingCrucial, Solved, crucial, preserving_pairs, solve
from libs.rules.solitaire.touch import BlockedTouch, Lifted, NotSame, Paired, PutBack, touch
from tests.property.rules.solitaire.random_boards import (
    Board,
    boards,
    plain_moves,
    plainly_free,
    plainly_match,
    plainly_solvable,
)

each_rule = pytest.mark.parametrize(("matching", "pairing"), list(product(Matching, Pairing)))
few = settings(max_examples=60, deadline=None)


@few
@given(boards(tiles_max=16))
def test_free_is_what_the_geometry_says(board: Board) -> None:
    """A tile is free exactly when it is uncovered and open at one side, and else the blame is right."""
    expected = tuple(tile for tile in sorted(board.tiles) if plainly_free(board, tile))

    assert free_tiles(board.layout, board.present) == expected
    for tile in board.tiles:
        match blockers(board.layout, board.present, tile):
            case None:
                assert tile in expected
            case Covered(by):
                assert by
                assert set(by) <= board.tiles
                assert tile not in expected
            case Closed(left, right):
                assert plainly_free(board.without(*left), tile)
                assert plainly_free(board.without(*right), tile)
                assert tile not in expected


@few
@given(boards(tiles_max=16), st.data())
def test_removing_tiles_never_makes_a_free_tile_unfree(board: Board, data: st.DataObject) -> None:
    """The free set only grows among the tiles that stay, and the quick update finds it."""
    gone = data.draw(st.sets(st.sampled_from(sorted(board.tiles)))) if board.tiles else set()
    before = free_mask(board.layout, board.present)
    rest = board.without(*gone)
    after = free_mask(board.layout, rest.present)

    assert before & rest.present & ~after == 0
    assert free_mask_after(board.layout, rest.present, before, board.present & ~rest.present) == after


@each_rule
@few
@given(board=boards(tiles_max=14))
def test_available_pairs_are_those_of_the_rules(matching: Matching, pairing: Pairing, board: Board) -> None:
    """Every ordered pair is judged alike, and the unordered list is complete."""
    moves = set(plain_moves(board, matching, pairing))
    position = (board.layout, board.faces, board.present)

    listed = available_pairs(*position, matching, pairing)
    assert listed == sorted({(min(pair), max(pair)) for pair in moves})
    assert has_available_pair(*position, matching, pairing) == bool(moves)
    for first, second in product(range(board.layout.size), repeat=2):
        assert can_pair(*position, first, second, matching, pairing) == ((first, second) in moves)


@each_rule
@few
@given(board=boards())
def test_the_solver_agrees_with_trying_every_line(matching: Matching, pairing: Pairing, board: Board) -> None:
    """Solvability, certificate, preserving pairs and the crucial pair."""
    position = (board.layout, board.faces, board.present)
    answer = solve(*position, matching, pairing)

    assert isinstance(answer, Solved) == plainly_solvable(board, matching, pairing)
    if isinstance(answer, Solved):
        assert replay(*position, answer.certificate, matching, pairing)

    listed = available_pairs(*position, matching, pairing)
    expected = tuple(p for p in listed if plainly_solvable(board.without(*p), matching, pairing))
    verdicts = preserving_pairs(*position, matching, pairing)
    assert (verdicts.preserving, verdicts.undecided) == (expected, ())
    question = crucial(*position, matching, pairing)
    assert isinstance(question, Crucial) == (len(expected) == 1)
    assert question == (
        Crucial(expected[0], question.nodes) if len(expected) == 1 else NothingCrucial(question.nodes)
    )


@few
@given(boards(tiles_max=14), st.data())
def test_a_touch_pairs_exactly_the_available_pairs_and_the_rest_follows_the_rule(
    board: Board, data: st.DataObject
) -> None:
    """For every lifted tile and every touched one, the outcome is the one the sentence gives."""
    free = free_tiles(board.layout, board.present)
    lifted = data.draw(st.sampled_from([None, *free]))
    moves = set(plain_moves(board, Matching.EXACT, Pairing.LIFT))
    away = board if lifted is None else board.without(lifted)
    for tile in sorted(board.tiles):
        outcome = touch(board.layout, board.faces, board.present, lifted, tile)

        assert isinstance(outcome, Paired) == ((lifted, tile) in moves)
        assert isinstance(outcome, PutBack) == (lifted == tile)
        assert isinstance(outcome, BlockedTouch) == (tile != lifted and not plainly_free(away, tile))
        match outcome:
            case Paired(first, second):
                assert (first, second) == (lifted, tile)
            case Lifted(raised, replaced):
                assert (raised, replaced) == (tile, lifted)
                assert tile in free
                assert lifted is None or not plainly_match(
                    Matching.EXACT, *(board.faces[t] for t in (lifted, tile))
                )
            case NotSame():
                assert tile not in free
                assert is_free(board.layout, away.present, tile)
            case BlockedTouch(_, why):
                assert why == blockers(board.layout, away.present, tile)
