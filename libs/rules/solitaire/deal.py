"""Deals that are proved solvable by a play that cleared them: the certificate.

The board is filled at random, every arrangement of the faces equally likely, and the fill is kept when one
of PLAYS_A_FILL careful random plays clears it; else the next fill is tried. So deals are solvable fills as
chance makes them: one is passed over only if it cannot be solved, or so rarely that all these plays miss it.
Nothing of it depends on a solver or its budget: plays and fills come from the seed alone.

Where FILLS_MAX fills are not cleared (high piles of many faces, where hardly any fill can be solved) the
board is constructed: cleared without looking at faces, and the pairs of that line of play get the faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.blind import random_line
from libs.rules.solitaire.board import Matching, Pairing, match_groups
from libs.rules.solitaire.careful import careful_line
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng, child_seed
from libs.rules.tiles import Face

FILLS_MAX: Final = 16
"""Random fills before a board is constructed."""
PLAYS_A_FILL: Final = 32
"""Careful random plays before a fill is passed over; `libs/README.md` has the figures it was chosen by."""
TRIES_MAX: Final = 1_000
"""Face-blind plays that may get stuck before a layout counts as impossible to deal."""


@dataclass(frozen=True)
class Deal:
    """A face for every tile of the layout, and pairs that clear it."""

    faces: tuple[Face, ...]
    certificate: Certificate


@dataclass(frozen=True)
class NoDeal:
    """No face-blind play cleared the layout (two tiles stacked, say)."""

    tries: int


FacePair = tuple[Face, Face]


def deal(
    layout: Layout, face_pairs: Sequence[FacePair], matching: Matching, pairing: Pairing, seed: bytes
) -> Deal | NoDeal:
    """The deal of this seed (32 bytes): the same on every machine.

    `face_pairs` are the faces that go on the board, two matching ones together: one for every two tiles.
    """
    assert 2 * len(face_pairs) == layout.size, "the faces must fill the board"
    prng = Prng(seed)
    in_order = [face for pair in face_pairs for face in pair]
    for _ in range(FILLS_MAX):
        faces = prng.shuffled(in_order)
        groups = match_groups(matching, faces, layout.full)
        for _ in range(PLAYS_A_FILL):
            line = careful_line(layout, groups, layout.full, pairing, prng)
            if line is not None:
                return Deal(tuple(faces), line)
    return constructed_deal(layout, face_pairs, pairing, child_seed(seed, "constructed"))


def constructed_deal(
    layout: Layout, face_pairs: Sequence[FacePair], pairing: Pairing, seed: bytes
) -> Deal | NoDeal:
    """The deal whose pairs are spread at random over a face-blind line: easier than chance makes them."""
    prng = Prng(seed)
    for _ in range(TRIES_MAX):
        certificate = random_line(layout, layout.full, pairing, prng)
        if certificate is None:
            continue
        faces = [face_pairs[0][0]] * layout.size
        for (first, second), (face_a, face_b) in zip(certificate, prng.shuffled(face_pairs), strict=True):
            faces[first], faces[second] = face_a, face_b
        return Deal(tuple(faces), certificate)
    return NoDeal(TRIES_MAX)


def rivals_face_pairs(tiles: int, distinct_faces: int, faces: Sequence[Face], prng: Prng) -> list[FacePair]:
    """Whole groups of four of at most `distinct_faces` of the faces, and one pair where the count needs it.

    With more groups than faces the faces come round again, so that the board has groups of eight.
    """
    assert tiles % 2 == 0 and 1 <= distinct_faces <= len(faces)
    chosen = prng.shuffled(faces)[:distinct_faces]
    pairs = []
    for number in range(tiles // 2):
        face = chosen[number // 2 % len(chosen)]
        pairs.append((face, face))
    return pairs
