"""The difficulty figure: the share of careful random plays that do not clear the board.

A careful play looks for no more than a careful person does: whenever all tiles of a face that are left
can go now, they go; else one of the available pairs is taken, all equally likely. 0 is a board that
cannot go wrong, 1 a board that was never cleared. The plays of a seed are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from libs.rules.solitaire.board import Matching, Pairing, free_mask, match_groups
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face


def difficulty(
    layout: Layout, faces: Sequence[Face], matching: Matching, pairing: Pairing, plays: int, seed: bytes
) -> float:
    """The share, 0.0 to 1.0, of `plays` careful random plays of the whole board that get stuck."""
    prng = Prng(seed)
    stuck = sum(not clears_carefully(layout, faces, matching, pairing, prng) for _ in range(plays))
    return stuck / plays


def clears_carefully(
    layout: Layout, faces: Sequence[Face], matching: Matching, pairing: Pairing, prng: Prng
) -> bool:
    """Whether one careful random play clears the board."""
    present = layout.full
    while present:
        whole = _whole_groups(layout, faces, present, matching)
        if whole:
            present &= ~whole
            continue
        pairs = available_pairs(layout, faces, present, matching, pairing)
        if not pairs:
            return False
        first, second = pairs[prng.below(len(pairs))]
        present &= ~(1 << first | 1 << second)
    return True


def _whole_groups(layout: Layout, faces: Sequence[Face], present: int, matching: Matching) -> int:
    """The tiles of all groups that are free as a whole: to take them can never be wrong."""
    free = free_mask(layout, present)
    whole = 0
    for group in match_groups(matching, faces, present):
        if not group & ~free and group.bit_count() % 2 == 0:
            whole |= group
    return whole
