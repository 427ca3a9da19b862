"""How far a hand is from ready, shape by shape; and what a ready hand waits for.

The shanten number is one less than the tiles that are missing from the nearest complete hand: 0 is ready.
Shapes alone count: a fifth copy is not excluded. What a ready hand waits for leaves out tiles of which the
hand holds all four, so that it may wait for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final

from libs.rules.mcr.decompose import KNITTED_STRAIGHTS, Shape, is_complete
from libs.rules.mcr.hand import Hand, check_hand
from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import (
    ALL_TILES,
    COPIES,
    FIRST_HONOR,
    HONORS,
    KINDS,
    ORPHANS,
    RANKS,
    TileIndex,
    counted,
)

SETS: Final = 4
_FAR: Final = 99
Missing = tuple[tuple[int, int], ...]
"""By number of sets, 0 to 4: the fewest tiles missing without and with a pair."""


def shanten(hand: Hand) -> dict[Shape, int]:
    """The number of each shape that these melds leave possible, regular first. Raises NotAHandError."""
    check_hand(hand)
    counts, melds = counted(hand.concealed), len(hand.melds)
    numbers = {Shape.REGULAR: _missing(counts, SETS - melds) - 1}
    if melds == 0:
        numbers[Shape.SEVEN_PAIRS] = 6 - sum(count // 2 for count in counts)
        orphans = [counts[tile] for tile in ORPHANS]
        numbers[Shape.THIRTEEN_ORPHANS] = 13 - sum(map(bool, orphans)) - (max(orphans) > 1)
        numbers[Shape.HONORS_AND_KNITTED] = 13 - max(
            sum(counts[tile] > 0 for tile in HONORS.union(straight)) for straight in KNITTED_STRAIGHTS
        )
    if melds <= 1:
        numbers[Shape.KNITTED_STRAIGHT] = min(
            _knitted_missing(counts, straight, 1 - melds) - 1 for straight in KNITTED_STRAIGHTS
        )
    return numbers


def waits(hand: Hand) -> tuple[TileIndex, ...]:
    """The tiles that complete the hand and that it does not hold four times. Raises NotAHandError."""
    check_hand(hand)
    return in_reach(hand, completing(hand.concealed, hand.melds))


def in_reach(hand: Hand, tiles: Sequence[TileIndex]) -> tuple[TileIndex, ...]:
    """Those of the tiles of which somebody else may have a copy."""
    held = counted(hand.all_tiles)
    return tuple(tile for tile in tiles if held[tile] < COPIES)


def completing(concealed: Sequence[TileIndex], melds: Sequence[Set]) -> tuple[TileIndex, ...]:
    """The tiles that complete the hand by shape, whether or not a copy is left."""
    counts = counted(concealed)
    found = []
    for tile in ALL_TILES:
        counts[tile] += 1
        if is_complete(counts, len(melds)):
            found.append(tile)
        counts[tile] -= 1
    return tuple(found)


def _knitted_missing(counts: Sequence[int], straight: Sequence[TileIndex], sets: int) -> int:
    rest = list(counts)
    for tile in straight:
        rest[tile] = max(0, rest[tile] - 1)
    return sum(counts[tile] == 0 for tile in straight) + _missing(rest, sets)


def _missing(counts: Sequence[int], sets: int) -> int:
    """The fewest tiles that are missing from so many sets and a pair."""
    parts = [_missing_in(tuple(counts[first : first + RANKS])) for first in range(0, FIRST_HONOR, RANKS)]
    parts += [_missing_in((counts[honor],)) for honor in range(FIRST_HONOR, KINDS)]
    whole: Missing = ((0, _FAR), *((_FAR, _FAR) for _ in range(SETS)))
    for part in parts:
        whole = _together(whole, part)
    return whole[sets][1]


def _together(one: Missing, other: Missing) -> Missing:
    """What is missing from sets and pairs that are spread over two parts of a hand."""
    best = [[_FAR, _FAR] for _ in range(SETS + 1)]
    for (sets, pairs), (more, more_pairs) in product(product(range(SETS + 1), range(2)), repeat=2):
        if sets + more <= SETS and pairs + more_pairs <= 1:
            missing = one[sets][pairs] + other[more][more_pairs]
            best[sets + more][pairs + more_pairs] = min(best[sets + more][pairs + more_pairs], missing)
    return tuple((without, with_pair) for without, with_pair in best)


@lru_cache(maxsize=1 << 16)
def _missing_in(counts: tuple[int, ...]) -> Missing:
    """The same for the tiles of one suit, or of one honour: rank by rank, chows that began before go on."""
    # (sets, pairs, chows that began two ranks ago, one rank ago) -> fewest missing
    reached = {(0, 0, 0, 0): 0}
    for rank, held in enumerate(counts):
        following: dict[tuple[int, int, int, int], int] = {}
        for (sets, pairs, older, old), missing in reached.items():
            for pungs, more_pairs, chows in product(range(3), range(2 - pairs), range(SETS + 1 - sets)):
                if sets + pungs + chows > SETS or (chows and rank + 2 >= len(counts)):
                    continue
                needed = 3 * pungs + 2 * more_pairs + chows + old + older
                state = (sets + pungs + chows, pairs + more_pairs, old, chows)
                total = missing + max(0, needed - held)
                following[state] = min(total, following.get(state, _FAR))
        reached = following
    return tuple(
        (
            min((missing for state, missing in reached.items() if state[:2] == (sets, 0)), default=_FAR),
            min((missing for state, missing in reached.items() if state[:2] == (sets, 1)), default=_FAR),
        )
        for sets in range(SETS + 1)
    )
