"""Stuck positions as players get them: a solvable deal, then pairs at random until none is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.blind import BlindLine, find_blind_line
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.deal import FacePair, rivals_face_pairs
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.prng import Prng, child_seed, public_seed
from libs.rules.tiles import FLOWERS, ORDINARY, SEASONS, Face

BONUS_PAIRS: Final[list[FacePair]] = [
    (kind[place], kind[place + 1]) for kind in (FLOWERS, SEASONS) for place in (0, 2)
]
ROW: Final = [(2 * column, 8, 0) for column in range(12)]


def _tower(height: int, x: int = 0) -> list[tuple[int, int, int]]:
    return [(x, 0, z) for z in range(height)]


def _pyramid(side: int) -> list[tuple[int, int, int]]:
    """A pyramid with a single tile on top, every tile on the seam of four."""
    return [
        (z + 2 * column, 12 + z + 2 * row, z)
        for z in range(side)
        for row in range(side - z)
        for column in range(side - z)
    ]


TALL: Final = (
    Layout.parse("tower of 12 beside a row", [*_tower(12), *ROW]),
    Layout.parse("two towers of 8 and of 4", [*_tower(8), *_tower(4, 6), *ROW[:6]]),
    Layout.parse("tower of 16 beside a pyramid", [*_tower(16), *_pyramid(4)]),
    Layout.parse("pyramid of 5 beside a row", [*_pyramid(5), *ROW[:5]]),
    Layout.parse("pyramid of 4 and tower of 4", [*_pyramid(4), *_tower(4, 20), *_tower(4, 24)]),
)
"""Layouts whose rests often have no solvable arrangement: there is little to pair a tower with."""


@dataclass(frozen=True)
class Stuck:
    """A position without an available pair, and the certificate of its deal."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching
    pairing: Pairing
    deal_certificate: Certificate
    seed: bytes


def stuck_positions(layouts: tuple[Layout, ...], first: int = 0) -> Iterator[Stuck]:
    """Endlessly many, the same ones each time: layouts and rules in turn."""
    number = first
    while True:
        layout, rules = layouts[number % len(layouts)], number // len(layouts) % 4
        matching = (Matching.FLOWERS_SEASONS, Matching.BONUS_ANY, Matching.FLOWERS_SEASONS, Matching.EXACT)[
            rules
        ]
        pairing = Pairing.LIFT if matching is Matching.EXACT else Pairing.BOTH_FREE
        position = _played(layout, matching, pairing, public_seed("test/stuck", number))
        if position is not None:
            yield position
        number += 1


def own_layouts() -> tuple[Layout, ...]:
    """The catalogue and the tall ones."""
    return (*map(layout, layout_names()), *TALL)


def _played(layout: Layout, matching: Matching, pairing: Pairing, seed: bytes) -> Stuck | None:
    """A random play of a random deal, where it got stuck. High towers are dealt too: `deal` seldom can."""
    prng = Prng(child_seed(seed, "play"))
    pairs = [] if matching is Matching.EXACT else BONUS_PAIRS[: layout.size // 4]
    ordinary = layout.size - 2 * len(pairs)
    distinct = min(34, max(2, layout.size // 4))
    pairs = [*pairs, *rivals_face_pairs(ordinary, distinct, ORDINARY, prng)]
    dealt = find_blind_line(layout, layout.full, pairing, prng)
    assert isinstance(dealt, BlindLine), "every layout here can be dealt"
    faces = [pairs[0][0]] * layout.size
    for (first, second), (one, other) in zip(dealt.line, prng.shuffled(pairs), strict=True):
        faces[first], faces[second] = one, other
    present = layout.full
    while moves := available_pairs(layout, faces, present, matching, pairing):
        first, second = moves[prng.below(len(moves))]
        present &= ~(1 << first | 1 << second)
    if not present:
        return None
    shuffling = child_seed(seed, "shuffle")
    return Stuck(layout, tuple(faces), present, matching, pairing, dealt.line, shuffling)
