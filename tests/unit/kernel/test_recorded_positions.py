"""The kernel agrees with every field of the recorded positions, and decides all of them."""

from __future__ import annotations

from pathlib import Path

from libs import kernel
from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.solver import Crucial, NothingCrucial, Solved, Unsolvable
from tests.unit.rules.solitaire.small_boards import each_file, recorded


@each_file
def test_available_pairs_agree(file: Path) -> None:
    """The available pairs are those recorded."""
    for p in recorded(file):
        board = (p.layout, p.faces, p.present, p.matching, p.pairing)

        assert tuple(kernel.available_pairs(*board)) == p.available, p.name


@each_file
def test_solvability_agrees_and_every_certificate_replays(file: Path) -> None:
    """Solved and unsolvable are as recorded, and the independent checker accepts each certificate."""
    for p in recorded(file):
        match kernel.solve(p.layout, p.faces, p.present, p.matching, p.pairing):
            case Solved(certificate, _):
                assert p.solvable, p.name
                assert replay(p.layout, p.faces, p.present, certificate, p.matching, p.pairing), p.name
            case answer:
                assert isinstance(answer, Unsolvable) and not p.solvable, p.name


@each_file
def test_preserving_pairs_agree(file: Path) -> None:
    """Which of the available pairs keep the position solvable is as recorded."""
    for p in recorded(file):
        verdicts = kernel.preserving_pairs(p.layout, p.faces, p.present, p.matching, p.pairing)

        assert not verdicts.undecided, p.name
        assert verdicts.preserving == p.preserving, p.name
        assert sorted(verdicts.preserving + verdicts.ruining) == list(p.available), p.name


@each_file
def test_crucial_pairs_agree(file: Path) -> None:
    """Which pair is the only one that keeps the position solvable is as recorded."""
    for p in recorded(file):
        match kernel.crucial(p.layout, p.faces, p.present, p.matching, p.pairing):
            case Crucial(pair, _):
                assert pair == p.crucial, p.name
            case answer:
                assert isinstance(answer, NothingCrucial) and p.crucial is None, p.name


@each_file
def test_a_hint_is_the_lowest_pair_that_keeps_the_position_solvable(file: Path) -> None:
    """The hint is the lowest preserving pair, else the lowest available one, else there is none."""
    for p in recorded(file):
        hinted = kernel.hint(p.layout, p.faces, p.present, p.matching, p.pairing)

        assert hinted == (p.preserving or p.available or (None,))[0], p.name


@each_file
def test_removing_a_ruining_pair_leaves_an_unsolvable_position(file: Path) -> None:
    """The short cut over partners agrees with taking the pair off and solving what is left."""
    for p in recorded(file):
        for pair in p.available:
            rest = p.present & ~mask_of(pair)
            answer = kernel.solve(p.layout, p.faces, rest, p.matching, p.pairing)

            assert isinstance(answer, Solved) == (pair in p.preserving), p.name
