"""The checker of certificates: short enough to be believed, and it shares no search code with the solver."""

from __future__ import annotations

from collections.abc import Sequence

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import can_pair
from libs.rules.tiles import Face

Certificate = tuple[tuple[int, int], ...]
"""Pairs in the order in which they go; under `lift` the first tile of each is the one lifted first."""


def replay(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    certificate: Sequence[tuple[int, int]],
    matching: Matching,
    pairing: Pairing,
) -> bool:
    """Whether the pairs, taken one after the other, are all legal and clear the board."""
    for first, second in certificate:
        if not can_pair(layout, faces, present, first, second, matching, pairing):
            return False
        present &= ~(1 << first | 1 << second)
    return present == 0
