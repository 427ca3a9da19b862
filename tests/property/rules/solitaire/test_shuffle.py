"""A shuffle keeps the faces, is solvable or has a pair, and refuses only where that is proved."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.blind import BlindLine, NoBlindLine, find_blind_line
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng, public_seed
from libs.rules.solitaire.shuffle import (
    NoPairPossible,
    Shuffled,
    ShuffledWithPair,
    shuffle_pool,
    shuffle_race,
)
from libs.rules.tiles import Face
from tests.property.rules.solitaire.random_boards import (
    Board,
    boards,
    plain_moves,
    plainly_free,
    plainly_solvable,
)
from tests.property.rules.solitaire.shuffle_campaign import Findings, examine
from tests.property.rules.solitaire.stuck_positions import own_layouts, stuck_positions

SEED = public_seed("test/shuffle")
few = settings(max_examples=80, deadline=None)


@st.composite
def columns(draw: st.DrawFn) -> Board:
    """Columns side by side or apart, some of them high: often nothing can be paired with the highest."""
    heights = draw(st.lists(st.integers(1, 6), min_size=2, max_size=5).filter(lambda h: sum(h) % 2 == 0))
    gaps = draw(st.lists(st.sampled_from((2, 3)), min_size=len(heights), max_size=len(heights)))
    places = [
        (sum(gaps[:number]), 0, level) for number, height in enumerate(heights) for level in range(height)
    ]
    layout = Layout.parse("columns", places)
    return Board(layout, (Face("1m"),) * layout.size, frozenset(range(layout.size)))


@cache
def plainly_clears(board: Board, pairing: Pairing) -> bool:
    """Whether some order of going clears the places, any two tiles together: all are tried."""
    if not board.tiles:
        return True
    for first, second in permutations(sorted(board.tiles), 2):
        then = board if pairing is Pairing.BOTH_FREE else board.without(first)
        can_go = plainly_free(board, first) and plainly_free(then, second)
        if can_go and plainly_clears(board.without(first, second), pairing):
            return True
    return False


@pytest.mark.parametrize("pairing", Pairing)
@few
@given(board=st.one_of(columns(), boards(tiles_max=12)).filter(lambda board: len(board.tiles) % 2 == 0))
def test_no_arrangement_is_solvable_exactly_where_that_is_said(board: Board, pairing: Pairing) -> None:
    """The face-blind answer equals that of trying every order; under lift there is always a line."""
    answer = find_blind_line(board.layout, board.present, pairing, Prng(SEED))

    assert isinstance(answer, BlindLine if plainly_clears(board, pairing) else NoBlindLine)
    if isinstance(answer, BlindLine):
        blank = (Face("1m"),) * board.layout.size
        assert replay(board.layout, blank, board.present, answer.line, Matching.EXACT, pairing)
    else:
        assert pairing is Pairing.BOTH_FREE


def test_a_face_blind_line_is_what_a_solvable_arrangement_needs() -> None:
    """On a tower of two beside a row of two every spread of two pairs is tried: both answers agree."""
    for places in (
        [(0, 0, 0), (0, 0, 1), (4, 0, 0), (6, 0, 0)],
        [(0, 0, 0), (0, 0, 1), (0, 0, 2), (4, 0, 0)],
    ):
        layout = Layout.parse("four", places)
        spreads = set(permutations((Face("1m"), Face("1m"), Face("2m"), Face("2m"))))
        solvable = any(
            plainly_solvable(Board(layout, faces, frozenset(range(4))), Matching.EXACT, Pairing.BOTH_FREE)
            for faces in spreads
        )
        answer = find_blind_line(layout, layout.full, Pairing.BOTH_FREE, Prng(SEED))

        assert isinstance(answer, BlindLine) is solvable


@few
@given(board=st.one_of(columns(), boards(tiles_max=12)).filter(lambda board: board.tiles != frozenset()))
def test_a_pool_is_refused_exactly_where_no_two_tiles_are_free(board: Board) -> None:
    """Else the answer has the pair that it names, which the plain rules know too."""
    one_face = Board(board.layout, (Face("1m"),) * board.layout.size, board.tiles)
    rules = Matching.BONUS_ANY, Pairing.BOTH_FREE
    answer = shuffle_pool(board.layout, one_face.faces, board.present, *rules, SEED)
    any_two = list(plain_moves(one_face, *rules))

    assert isinstance(answer, NoPairPossible) is (not any_two)
    if isinstance(answer, ShuffledWithPair):
        assert answer.pair in any_two


def test_a_shuffle_is_a_function_of_position_and_seed() -> None:
    """The same arrangement on every machine; another seed gives another."""
    position = next(stuck_positions(own_layouts()[-1:]))
    asked = position.layout, position.faces, position.present, position.matching, position.pairing
    once = shuffle_race(*asked, position.deal_certificate, position.seed)

    assert once == shuffle_race(*asked, position.deal_certificate, position.seed)
    assert once.faces != shuffle_race(*asked, position.deal_certificate, SEED).faces


def test_spreads_are_not_laid_along_a_line_where_chance_suffices() -> None:
    """Four tiles in a row, two faces: all of the solvable arrangements come up, about equally often."""
    row = Layout.parse("row", [(2 * column, 0, 0) for column in range(4)])
    faces = (Face("1m"), Face("1m"), Face("2m"), Face("2m"))
    certificate = ((0, 3), (1, 2))
    seen = [
        shuffle_race(
            row, faces, row.full, Matching.EXACT, Pairing.BOTH_FREE, certificate, public_seed("row", number)
        )
        for number in range(300)
    ]

    assert all(isinstance(result, Shuffled) and result.is_spread for result in seen)
    counts = {result.faces: sum(other.faces == result.faces for other in seen) for result in seen}
    solvable = [
        faces_so
        for first, second in combinations(range(4), 2)
        if plainly_solvable(
            Board(
                row,
                faces_so := tuple(Face("1m") if t in (first, second) else Face("2m") for t in range(4)),
                frozenset(range(4)),
            ),
            Matching.EXACT,
            Pairing.BOTH_FREE,
        )
    ]
    assert set(counts) == set(solvable)
    assert min(counts.values()) > 300 / len(solvable) / 2


def test_stuck_positions_of_every_layout_shuffle() -> None:
    """A slice of the campaign: two positions of each layout."""
    findings = Findings()
    layouts = own_layouts()
    positions = stuck_positions(layouts)
    for _ in range(2 * len(layouts)):
        examine(next(positions), findings)

    assert findings.faults == []
    assert findings.moved > 0
    assert findings.refused > 0
