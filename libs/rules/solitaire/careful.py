"""Careful random plays: no more foresight than a careful person has.

Whenever all tiles of a match group that are left can go now, they go; else one of the available pairs is
taken, all equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Pairing, free_mask, free_mask_after
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import freed_by_lifting
from libs.rules.solitaire.prng import Prng


def careful_line(
    layout: Layout, groups: Sequence[int], present: int, pairing: Pairing, prng: Prng
) -> Certificate | None:
    """The pairs of one careful random play of `present` that cleared it, or None where it got stuck.

    `groups` are the sets of tiles that match among themselves; they may hold tiles that have gone.
    """
    free = free_mask(layout, present)
    line: list[tuple[int, int]] = []
    while present:
        taken = _whole_groups(groups, present, free)
        if not taken:
            pairs = _pairs(layout, groups, present, free, pairing)
            if not pairs:
                return None
            taken = [pairs[prng.below(len(pairs))]]
        line += taken
        gone = 0
        for first, second in taken:
            gone |= 1 << first | 1 << second
        present &= ~gone
        free = free_mask_after(layout, present, free, gone)
    return tuple(line)


def _whole_groups(groups: Sequence[int], present: int, free: int) -> list[tuple[int, int]]:
    """Pairs of all groups that are free as a whole: to take them can never be wrong."""
    pairs: list[tuple[int, int]] = []
    for group in groups:
        rest = group & present
        if rest and not rest & ~free and rest.bit_count() % 2 == 0:
            tiles = bits(rest)
            pairs += zip(tiles, tiles, strict=True)
    return pairs


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
