"""The difficulty figure: the share of careful random plays that do not clear the board.

A careful play looks for no more than a careful person does: whenever all tiles of a face that are left
can go now, they go; else one of the available pairs is taken, all equally likely. 0 is a board that
cannot go wrong, 1 a board that was never cleared. The plays of a seed are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, Pairing, free_mask, free_mask_after, match_groups
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import freed_by_lifting
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
    groups = match_groups(matching, faces, layout.full)
    present, free = layout.full, free_mask(layout, layout.full)
    while present:
        gone = _whole_groups(groups, present, free)
        if not gone:
            pairs = _pairs(layout, groups, present, free, pairing)
            if not pairs:
                return False
            first, second = pairs[prng.below(len(pairs))]
            gone = 1 << first | 1 << second
        present &= ~gone
        free = free_mask_after(layout, present, free, gone)
    return True


def _whole_groups(groups: Sequence[int], present: int, free: int) -> int:
    """The tiles of all groups that are free as a whole: to take them can never be wrong."""
    whole = 0
    for group in groups:
        rest = group & present
        if not rest & ~free and rest.bit_count() % 2 == 0:
            whole |= rest
    return whole


def _pairs(
    layout: Layout, groups: Sequence[int], present: int, free: int, pairing: Pairing
) -> list[tuple[int, int]]:
    """The available pairs, each once, in an order that the position determines."""
    pairs = [pair for group in groups for pair in combinations(bits(group & free), 2)]
    if pairing is Pairing.LIFT:
        for first in bits(free):
            freed = freed_by_lifting(layout, present, free, first)
            if freed:
                group = next(group for group in groups if group >> first & 1)
                pairs += [(first, second) for second in bits(freed & group)]
    return pairs
