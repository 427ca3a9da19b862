"""Available pairs under every matching and pairing.

Removing tiles never makes a free tile unfree, so under both pairings a pair that is available stays
available until one of its tiles goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, Pairing, free_mask, is_free, match_groups, matches
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face


def can_pair(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    first: int,
    second: int,
    matching: Matching,
    pairing: Pairing,
) -> bool:
    """Whether the two present tiles make a pair, `first` being touched (lifted) first."""
    both = 1 << first | 1 << second
    if first == second or both & present != both or not matches(matching, faces[first], faces[second]):
        return False
    left_for_second = present if pairing is Pairing.BOTH_FREE else present & ~(1 << first)
    return is_free(layout, present, first) and is_free(layout, left_for_second, second)


def available_pairs(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing
) -> list[tuple[int, int]]:
    """All available pairs as (lower, higher), sorted; under `lift` one order of touching is enough."""
    return sorted(set(_iterate_pairs(layout, faces, present, matching, pairing)))


def has_available_pair(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing
) -> bool:
    """Whether at least one pair is available: the exact "no pairs left" test of every mode."""
    return any(True for _ in _iterate_pairs(layout, faces, present, matching, pairing))


def freed_by_lifting(layout: Layout, present: int, free: int, tile: int) -> int:
    """The tiles that become free when the free tile `tile` is lifted; `free` is the set of free tiles."""
    without = present & ~(1 << tile)
    freed = 0
    for other in bits(layout.masks.hinders[tile] & without & ~free):
        if is_free(layout, without, other):
            freed |= 1 << other
    return freed


def _iterate_pairs(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing
) -> Iterator[tuple[int, int]]:
    free = free_mask(layout, present)
    groups = match_groups(matching, faces, present if pairing is Pairing.LIFT else free)
    for group in groups:
        yield from combinations(bits(group & free), 2)
    if pairing is Pairing.LIFT:
        for group in groups:
            for first in bits(group & free):
                for second in bits(group & freed_by_lifting(layout, present, free, first)):
                    yield (first, second) if first < second else (second, first)
