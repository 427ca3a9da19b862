"""Shuffling: exactly the faces that are left, over the places that are left.

A race gets a position that is solvable under its own rules again, with the certificate. Faces are spread at
random, all spreads equally likely, and the first that a few careful random plays clear is taken: so a
shuffled board is like any board of these faces that a careful player can win, not one laid out along a line
of play. Where none of them comes out (few spreads of the position are solvable) the faces are laid along a
random face-blind line (`blind.py`). Where no such line exists no arrangement at all is solvable, and the
tiles move to the places of the last pairs of the deal's certificate, which can be cleared.

A pool gets a position with a pair that can go. That is impossible exactly where two tiles cannot go together
whatever their faces are: with a single free tile.

All chance comes from the seed, and all limits are counts: the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from libs.rules.solitaire.bitset import bits, mask_of
from libs.rules.solitaire.blind import (
    BlindLine,
    BlindUndecided,
    NoBlindLine,
    blind_pairs,
    find_blind_line,
)
from libs.rules.solitaire.board import Matching, Pairing, free_mask, match_groups
from libs.rules.solitaire.careful import careful_line
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face

SPREADS_MAX: Final = 100
"""Random spreads that a race tries before it lays the faces along a line."""
PLAYS_PER_SPREAD: Final = 3
POOL_SPREADS_MAX: Final = 1_000
"""With one place for two tiles, the fewest, one spread in 143 has a pair at worst."""


@dataclass(frozen=True)
class Shuffled:
    """The same places, solvable."""

    faces: tuple[Face, ...]
    """For every tile of the layout; those of tiles that have gone are as they were."""
    certificate: Certificate
    is_spread: bool
    """Whether it is a random spread; else it was laid along a face-blind line."""


@dataclass(frozen=True)
class Moved:
    """Other places, solvable: over those that were left no arrangement is, or none was found (see `why`)."""

    faces: tuple[Face, ...]
    """For every tile of the layout; tiles that have gone took the places that were left."""
    present: int
    certificate: Certificate
    why: NoBlindLine | BlindUndecided


@dataclass(frozen=True)
class ShuffledWithPair:
    """The same places, with at least this pair available."""

    faces: tuple[Face, ...]
    pair: tuple[int, int]


@dataclass(frozen=True)
class NoPairPossible:
    """Whatever the faces, no two tiles can go: this one alone is free."""

    only_free: int


def shuffle_race(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    deal_certificate: Certificate,
    seed: bytes,
) -> Shuffled | Moved:
    """Shuffle the present tiles so that they can be cleared; their match groups are even.

    `deal_certificate` clears the whole layout: that of the deal, also after earlier shuffles.
    """
    assert present, "an empty board is finished"
    prng = Prng(seed)
    answer = find_blind_line(layout, present, pairing, prng)
    if isinstance(answer, BlindLine):
        return _solvable(layout, faces, answer.line, matching, pairing, prng)
    line = deal_certificate[-(present.bit_count() // 2) :]
    places = mask_of(chain.from_iterable(line))
    moved = list(faces)
    for source, target in zip(bits(present & ~places), bits(places & ~present), strict=True):
        moved[source], moved[target] = moved[target], moved[source]
    there = _solvable(layout, moved, line, matching, pairing, prng)
    return Moved(there.faces, places, there.certificate, answer)


def shuffle_pool(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing, seed: bytes
) -> ShuffledWithPair | NoPairPossible:
    """Shuffle the present tiles, at least two of which match, so that a pair can go."""
    assert present, "an empty board is finished"
    prng = Prng(seed)
    free = free_mask(layout, present)
    places = blind_pairs(layout, present, free, pairing)
    if not places:
        return NoPairPossible(free.bit_length() - 1)
    for _ in range(POOL_SPREADS_MAX):
        spread = _spread(faces, present, prng)
        found = available_pairs(layout, spread, present, matching, pairing)
        if found:
            return ShuffledWithPair(spread, found[0])
    return _pair_laid(faces, present, matching, places[prng.below(len(places))], prng)


def _spread(faces: Sequence[Face], present: int, prng: Prng) -> tuple[Face, ...]:
    """The faces of the present tiles in a new order, each order equally likely."""
    tiles = list(bits(present))
    return _placed(faces, tiles, prng.shuffled(tiles))


def _placed(faces: Sequence[Face], places: Sequence[int], sources: Sequence[int]) -> tuple[Face, ...]:
    """The faces after every place got that of its source; both name the same tiles."""
    result = list(faces)
    for place, source in zip(places, sources, strict=True):
        result[place] = faces[source]
    return tuple(result)


def _solvable(
    layout: Layout,
    faces: Sequence[Face],
    line: Certificate,
    matching: Matching,
    pairing: Pairing,
    prng: Prng,
) -> Shuffled:
    """The first of some random spreads over the line's places that a careful play clears, else a laid one."""
    present = mask_of(chain.from_iterable(line))
    for _ in range(SPREADS_MAX):
        spread = _spread(faces, present, prng)
        groups = match_groups(matching, spread, present)
        for _ in range(PLAYS_PER_SPREAD):
            played = careful_line(layout, groups, present, pairing, prng)
            if played is not None:
                return Shuffled(spread, played, is_spread=True)
    return Shuffled(_laid_along(line, faces, matching, prng), line, is_spread=False)


def _laid_along(line: Certificate, faces: Sequence[Face], matching: Matching, prng: Prng) -> tuple[Face, ...]:
    """The faces of the line's tiles, two matching ones on each of its pairs, at random."""
    sources: list[tuple[int, int]] = []
    for group in match_groups(matching, faces, mask_of(chain.from_iterable(line))):
        mixed = iter(prng.shuffled(bits(group)))
        sources += zip(mixed, mixed, strict=True)
    mixed_pairs = prng.shuffled(sources)
    return _placed(faces, [*chain.from_iterable(line)], [*chain.from_iterable(mixed_pairs)])


def _pair_laid(
    faces: Sequence[Face], present: int, matching: Matching, places: tuple[int, int], prng: Prng
) -> ShuffledWithPair:
    """Two matching faces on these places, everything else at random."""
    groups = [group for group in match_groups(matching, faces, present) if group.bit_count() > 1]
    assert groups, "two of the faces match"
    matching_two = prng.shuffled(bits(groups[prng.below(len(groups))]))[:2]
    other_places = bits(present & ~mask_of(places))
    other_sources = prng.shuffled(bits(present & ~mask_of(matching_two)))
    laid = _placed(faces, [*places, *other_places], [*matching_two, *other_sources])
    return ShuffledWithPair(laid, (min(places), max(places)))
