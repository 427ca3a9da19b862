"""Agreement with recorded positions: every field, wherever the solver decides.

The repository holds the positions on layouts of our own. The full files also embed other programs'
layouts; they run where the folder beside the repository is present, and are not collected elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Pairing
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.moves import available_pairs, has_available_pair
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
from tests.unit.rules.solitaire.small_boards import each_file, recorded

DECIDED_SHARE_MIN = 1.0
"""All of them, within 200,000 nodes a question."""

pytestmark = pytest.mark.timeout(240)


@each_file
def test_available_pairs_agree(file: Path) -> None:
    """The available pairs, and the "no pairs left" test, are those recorded."""
    for p in recorded(file):
        board = (p.layout, p.faces, p.present, p.matching)

        assert tuple(available_pairs(*board, p.pairing)) == p.available, p.name
        assert has_available_pair(*board, p.pairing) == bool(p.available), p.name
        if p.lift_only is not None:
            both_free = available_pairs(*board, Pairing.BOTH_FREE)
            assert tuple(pair for pair in p.available if pair not in both_free) == p.lift_only, p.name


@each_file
def test_solvability_agrees_and_every_certificate_replays(file: Path) -> None:
    """Solved and unsolvable are as recorded, and the independent checker accepts each certificate."""
    undecided = 0
    for p in recorded(file):
        answer = solve(p.layout, p.faces, p.present, p.matching, p.pairing)

        match answer:
            case Solved(certificate, _):
                assert p.solvable, p.name
                assert replay(p.layout, p.faces, p.present, certificate, p.matching, p.pairing), p.name
            case Unsolvable():
                assert not p.solvable, p.name
            case Undecided():
                undecided += 1
    assert 1 - undecided / len(recorded(file)) >= DECIDED_SHARE_MIN


@each_file
def test_preserving_pairs_agree(file: Path) -> None:
    """Which of the available pairs keep the position solvable is as recorded."""
    undecided = 0
    for p in recorded(file):
        verdicts = preserving_pairs(p.layout, p.faces, p.present, p.matching, p.pairing)

        undecided += bool(verdicts.undecided)
        if not verdicts.undecided:
            assert verdicts.preserving == p.preserving, p.name
            assert sorted(verdicts.preserving + verdicts.ruining) == list(p.available), p.name
    assert 1 - undecided / len(recorded(file)) >= DECIDED_SHARE_MIN


@each_file
def test_crucial_pairs_agree(file: Path) -> None:
    """Which pair is the only one that keeps the position solvable is as recorded."""
    undecided = 0
    for p in recorded(file):
        match crucial(p.layout, p.faces, p.present, p.matching, p.pairing):
            case Crucial(pair, _):
                assert pair == p.crucial, p.name
            case NothingCrucial():
                assert p.crucial is None, p.name
            case Undecided():
                undecided += 1
    assert 1 - undecided / len(recorded(file)) >= DECIDED_SHARE_MIN


@each_file
def test_a_hint_keeps_the_position_solvable_if_any_pair_does(file: Path) -> None:
    """The hint is preserving where a preserving pair exists, else available, else there is none."""
    for p in recorded(file):
        hinted = hint(p.layout, p.faces, p.present, p.matching, p.pairing)

        assert hinted in (p.preserving or p.available or (None,)), p.name


@each_file
def test_removing_a_recorded_ruining_pair_leaves_an_unsolvable_position(file: Path) -> None:
    """The short cut over partners agrees with taking the pair off and solving what is left."""
    for p in recorded(file)[::5]:
        for pair in p.available[:3]:
            rest = p.present & ~mask_of(pair)
            answer = solve(p.layout, p.faces, rest, p.matching, p.pairing)

            assert isinstance(answer, Solved) == (pair in p.preserving), p.name
