"""Deals that can be solved by construction, with the certificate that proves it.

The board is first cleared without looking at faces: each step takes one of the pairs that the pairing
rule allows, all equally likely, until nothing is left. The pairs then get faces: the recipe's pairs of
equal faces are spread over the whole line of play at random, so the four tiles of a face lie wherever
chance puts them, and the line is only one of many orders that the finished board admits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.blind import random_line
from libs.rules.solitaire.board import Pairing
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face

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


def deal(layout: Layout, face_pairs: Sequence[FacePair], pairing: Pairing, seed: bytes) -> Deal | NoDeal:
    """The deal of this seed: the same on every machine.

    `face_pairs` are the faces that go on the board, two matching ones together: one for every two tiles.
    """
    assert 2 * len(face_pairs) == layout.size, "the faces must fill the board"
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
