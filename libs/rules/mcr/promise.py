"""What the sets of a complete hand promise to count, before anybody knows how it will be completed.

A guess that is quick, and rather too high than too low: it says which hands are worth the full count. Fans
that depend on the last tile are not in it, but for one point for a wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import (
    DRAGONS,
    HONORS,
    ORPHANS,
    REVERSIBLE,
    SUITS,
    TERMINALS,
    WINDS,
    TileIndex,
    rank_of,
    suit_of,
)

SURELY: Final = 64
"""Enough points, whatever else."""
_CHOWS: Final = {1: (24, 16, 16, 16), 3: (8, 6, 0, 8)}
"""By the number of suits, points of three chows that go up by 0 to 3 ranks each."""
_PUNGS: Final = {1: (0, 24, 0, 0), 3: (16, 8, 0, 0)}


class Promise(NamedTuple):
    """Of four sets, or of fewer with a knitted straight."""

    kinds: frozenset[TileIndex]
    points: int
    own: int
    """The same with what concealed pungs add."""
    chows: int
    is_outside: bool
    """Every set has a terminal or an honour."""
    has_fives: bool
    """Every set has a five."""


def promise(melds: Sequence[Set], further: Sequence[Set], winds: tuple[TileIndex, TileIndex]) -> Promise:
    """What melds and further sets of the hand promise; `winds` are those of seat and table."""
    sets = (*melds, *further)
    chows = [one.tile for one in sets if one.is_chow]
    pungs = [one.tile for one in sets if not one.is_chow]
    dragons, kongs = len(DRAGONS.intersection(pungs)), sum(one.is_kong for one in sets)
    kinds = frozenset(tile for one in sets for tile in one.tiles)
    points = len(ORPHANS.intersection(pungs)) + 2 * sum(pungs.count(wind) for wind in winds)
    points += (0, 1, 4, 5)[dragons]
    points += 6 if len(pungs) == 4 else 0
    points += (0, 2, 8, 8, 8)[kongs]
    points += 12 if len(kinds & WINDS) >= 3 else 0
    points += _joined(chows, are_chows=True) + _joined(pungs, are_chows=False)
    concealed = sum(not one.is_chow for one in further) + sum(one.is_kong and one.concealed for one in melds)
    return Promise(
        kinds,
        points,
        points + (0, 0, 2, 16, 16)[concealed],
        len(chows),
        all(ORPHANS.intersection(one.tiles) for one in sets),
        all(any(rank_of(tile) == 5 for tile in one.tiles) for one in sets),
    )


def promised(fans: Promise, pair: TileIndex) -> int:
    """The points with this pair; SURELY for enough of them."""
    kinds = fans.kinds | {pair}
    suits = len({suit_of(tile) for tile in kinds} - {None})
    honors = kinds & HONORS
    if suits < SUITS - 1 or kinds <= REVERSIBLE:
        return SURELY
    points = fans.own + 1
    if suits < SUITS:
        points += 1
    elif kinds & WINDS and kinds & DRAGONS:
        points += 6
    elif honors and not fans.points:
        return SURELY  # perhaps a chicken hand
    if not honors:
        ranks = {rank_of(tile) for tile in kinds}
        if min(ranks) > 5 or max(ranks) < 5 or ranks <= {4, 5, 6} or (fans.has_fives and rank_of(pair) == 5):
            return SURELY
        points += (1 if kinds & TERMINALS else 2) + (2 if fans.chows == 4 else 0)
    return points + (4 if fans.is_outside and pair in ORPHANS else 0)


def _joined(tiles: Sequence[TileIndex], *, are_chows: bool) -> int:
    """What joins chows by their lowest tiles, or pungs by theirs."""
    three = max((_three(sets, are_chows=are_chows) for sets in combinations(tiles, 3)), default=0)
    twos = [points for sets in combinations(tiles, 2) if (points := _two(*sets, are_chows=are_chows))]
    if three:
        return three + (1 if len(tiles) == 4 and twos else 0)
    if twos and len(twos) >= len(tiles):
        return sum(twos) * (len(tiles) - 1) // len(twos)  # a set is joined once
    return sum(twos)


def _two(one: TileIndex, other: TileIndex, *, are_chows: bool) -> int:
    step = abs(rank_of(one) - rank_of(other))
    if are_chows:
        return int(step == 0 or (suit_of(one) == suit_of(other) and step in {3, 6}))
    suits = {suit_of(one), suit_of(other)}
    return 2 if step == 0 and len(suits) == 2 and None not in suits else 0


def _three(sets: tuple[TileIndex, ...], *, are_chows: bool) -> int:
    low, middle, high = sorted(map(rank_of, sets))
    suits = {suit_of(tile) for tile in sets}
    step = middle - low
    if high - middle != step or step > 3 or None in suits or len(suits) == 2:
        return 0
    return (_CHOWS if are_chows else _PUNGS)[len(suits)][step]
