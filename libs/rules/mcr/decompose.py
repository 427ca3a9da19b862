"""All readings of a complete hand: every way to see four sets and a pair, or one of the special shapes in it.

A fan is always read off one reading; which set the last tile completed is part of the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import permutations, product
from typing import Final, NamedTuple

from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import FIRST_HONOR, HONORS, KINDS, ORPHANS, RANKS, SUITS, TileIndex


class Shape(StrEnum):
    """The shapes of complete hands."""

    REGULAR = "regular"
    """Four sets and a pair."""
    SEVEN_PAIRS = "seven_pairs"
    """Four of a kind are two pairs."""
    THIRTEEN_ORPHANS = "thirteen_orphans"
    """One of each terminal and honour, and a second one of any of them."""
    HONORS_AND_KNITTED = "honors_and_knitted"
    """Fourteen different tiles, all honours or of one knitted straight."""
    KNITTED_STRAIGHT = "knitted_straight"
    """All nine tiles of a knitted straight, a set and a pair."""


class Part(StrEnum):
    """Where the last tile went, when not into a set."""

    PAIR = "pair"
    ELSEWHERE = "elsewhere"
    """Into a knitted straight, or a shape without sets."""


class Reading(NamedTuple):
    """One way to see a complete hand."""

    shape: Shape
    sets: tuple[Set, ...] = ()
    """Melds first, then those of the concealed tiles."""
    pair: TileIndex | None = None
    knitted: tuple[TileIndex, ...] = ()
    """The nine tiles of the knitted straight, where the shape has one."""
    completed: int | Part = Part.ELSEWHERE
    """What the last tile completed: the index of a set in `sets`, the pair, or something else."""


KNITTED_STRAIGHTS: Final = tuple(
    tuple(TileIndex(suit * RANKS + rank) for suit, first in enumerate(order) for rank in range(first, 9, 3))
    for order in permutations(range(3))
)
"""1-4-7 of a suit, 2-5-8 of another, 3-6-9 of the third, in all six ways."""


class Split(NamedTuple):
    """The tiles of a suit, or those of one honour, as sets and at most one pair; ranks from 0."""

    sets: tuple[tuple[SetKind, int], ...]
    pair: int | None


def is_complete(counts: Sequence[int], melds: int) -> bool:
    """Whether these concealed tiles, the last one among them, and that many melds have any reading."""
    return any(True for _ in _shapes(counts, melds))


def readings(counts: Sequence[int], melds: tuple[Set, ...], last: TileIndex) -> Iterator[Reading]:
    """Every reading of the concealed tiles, counted with the last one, and the melds."""
    for shape in _shapes(counts, len(melds)):
        whole = shape._replace(sets=melds + shape.sets)
        places: list[int | Part] = [
            place for place in range(len(melds), len(whole.sets)) if last in whole.sets[place].tiles
        ]
        if whole.pair == last:
            places.append(Part.PAIR)
        if last in whole.knitted or not whole.sets:
            places.append(Part.ELSEWHERE)
        # Of sets that are alike it does not matter which one was completed.
        different = {place if isinstance(place, Part) else whole.sets[place]: place for place in places}
        for place in different.values():
            yield whole._replace(completed=place)


def _shapes(counts: Sequence[int], melds: int) -> Iterator[Reading]:
    """The readings of concealed tiles without the question of where the last one went."""
    yield from _regular(counts)
    if melds == 0:
        yield from _without_sets(counts)
    if melds <= 1:
        yield from _knitted_straight(counts)


def _regular(counts: Sequence[int]) -> Iterator[Reading]:
    for sets, pair in _sets_and_pair(counts):
        yield Reading(Shape.REGULAR, sets, pair)


def _knitted_straight(counts: Sequence[int]) -> Iterator[Reading]:
    for straight in KNITTED_STRAIGHTS:
        if all(counts[tile] for tile in straight):
            rest = list(counts)
            for tile in straight:
                rest[tile] -= 1
            for sets, pair in _sets_and_pair(rest):
                yield Reading(Shape.KNITTED_STRAIGHT, sets, pair, straight)


def _without_sets(counts: Sequence[int]) -> Iterator[Reading]:
    if all(count % 2 == 0 for count in counts):
        yield Reading(Shape.SEVEN_PAIRS)
    kinds = {tile for tile, count in enumerate(counts) if count}
    if kinds == ORPHANS:
        yield Reading(Shape.THIRTEEN_ORPHANS)
    if max(counts) == 1:
        for straight in KNITTED_STRAIGHTS:
            if kinds <= HONORS.union(straight):
                yield Reading(Shape.HONORS_AND_KNITTED, knitted=straight if kinds >= set(straight) else ())


def _sets_and_pair(counts: Sequence[int]) -> Iterator[tuple[tuple[Set, ...], TileIndex]]:
    """Every way to lay the tiles out as sets and exactly one pair."""
    firsts = [*range(0, FIRST_HONOR, RANKS), *range(FIRST_HONOR, KINDS)]
    ways = [_splits(tuple(counts[first : first + RANKS]), chows=True) for first in firsts[:SUITS]]
    ways += [_splits((counts[honor],), chows=False) for honor in firsts[SUITS:]]
    if not all(ways):
        return
    for splits in product(*ways):
        pairs = [first + s.pair for first, s in zip(firsts, splits, strict=True) if s.pair is not None]
        if len(pairs) == 1:
            sets = [
                (kind, first + rank) for first, s in zip(firsts, splits, strict=True) for kind, rank in s.sets
            ]
            yield tuple(Set(kind, TileIndex(tile)) for kind, tile in sets), TileIndex(pairs[0])


@lru_cache(maxsize=1 << 16)
def _splits(counts: tuple[int, ...], *, chows: bool) -> tuple[Split, ...]:
    """Every split of the tiles of a suit, once: the lowest tile goes into a pung, the pair or a chow."""
    lowest = next((rank for rank, count in enumerate(counts) if count), None)
    if lowest is None:
        return (Split((), None),)
    found: dict[Split, None] = {}
    if counts[lowest] >= 3:
        for rest in _splits(_without(counts, lowest, lowest, lowest), chows=chows):
            found[Split(tuple(sorted([(SetKind.PUNG, lowest), *rest.sets])), rest.pair)] = None
    if counts[lowest] >= 2:
        for rest in _splits(_without(counts, lowest, lowest), chows=chows):
            if rest.pair is None:
                found[Split(rest.sets, lowest)] = None
    if chows and lowest + 2 < len(counts) and counts[lowest + 1] and counts[lowest + 2]:
        for rest in _splits(_without(counts, lowest, lowest + 1, lowest + 2), chows=chows):
            found[Split(tuple(sorted([(SetKind.CHOW, lowest), *rest.sets])), rest.pair)] = None
    return tuple(found)


def _without(counts: tuple[int, ...], *ranks: int) -> tuple[int, ...]:
    left = list(counts)
    for rank in ranks:
        left[rank] -= 1
    return tuple(left)
