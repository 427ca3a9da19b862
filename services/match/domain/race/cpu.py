"""CPU players: what they do next, and how long they take. They are told what a seat may see, no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Final

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, free_mask, match_key, matches
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face
from services.match.domain.race.terms import CpuLevel

PACE_MS: Final = {
    CpuLevel.EASY: (4_500, 4_500),
    CpuLevel.MEDIUM: (2_800, 3_000),
    CpuLevel.HARD: (1_600, 1_800),
}
"""The quickest move, and how much longer it may take."""
NOTICED: Final = 2
"""Of so many pairs MEDIUM takes the best."""
OVERLOOKS: Final = {CpuLevel.EASY: 15, CpuLevel.MEDIUM: 5, CpuLevel.HARD: 0}
"""In so many moves of a hundred no pair is found at once: a hint is taken, while there are hints."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A board as its seat sees it."""

    layout: Layout
    present: int
    free: int
    faces: Mapping[int, Face]
    """Of uncovered tiles only."""
    matching: Matching
    can_shuffle: bool
    can_hint: bool


@dataclass(frozen=True, slots=True)
class Take:
    """Remove this pair."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class AskHint:
    """Take a hint."""


@dataclass(frozen=True, slots=True)
class AskShuffle:
    """Shuffle: the board is blocked."""


Choice = Take | AskHint | AskShuffle


def pace(level: CpuLevel, chance: Prng) -> timedelta:
    """How long the next move takes."""
    quickest, more = PACE_MS[level]
    return timedelta(milliseconds=quickest + chance.below(more + 1))


def choose(seen: Seen, level: CpuLevel, chance: Prng) -> Choice | None:
    """What to do next; None when nothing can be done.

    EASY takes any pair, MEDIUM of two that it notices the one that opens most, HARD of all the one that opens
    and frees most; of equal ones one whose face is wholly in sight, for such a pair never costs the game.
    """
    pairs = [
        (first, second)
        for first, second in combinations(bits(seen.free), 2)
        if matches(seen.matching, seen.faces[first], seen.faces[second])
    ]
    if not pairs:
        return AskShuffle() if seen.can_shuffle else None
    if seen.can_hint and chance.below(100) < OVERLOOKS[level]:
        return AskHint()
    mixed = chance.shuffled(pairs)
    if level is CpuLevel.EASY:
        return Take(*mixed[0])
    if level is CpuLevel.MEDIUM:
        return Take(*max(mixed[:NOTICED], key=lambda pair: _opens(seen, pair)))
    return Take(*max(mixed, key=lambda pair: _worth(seen, pair)))


def _worth(seen: Seen, pair: tuple[int, int]) -> tuple[int, bool]:
    """How much HARD makes of a pair."""
    present = seen.present & ~(1 << pair[0] | 1 << pair[1])
    freed = (free_mask(seen.layout, present) & ~seen.free).bit_count()
    return _opens(seen, pair) + freed, _free_of_its_kind(seen, pair[0]) >= 4


def _opens(seen: Seen, pair: tuple[int, int]) -> int:
    """How many of the tiles that are left the two hinder."""
    hinders = seen.layout.masks.hinders
    return ((hinders[pair[0]] | hinders[pair[1]]) & seen.present & ~seen.free).bit_count()


def _free_of_its_kind(seen: Seen, tile: int) -> int:
    """How many free tiles match the tile, itself included."""
    key = match_key(seen.matching, seen.faces[tile])
    return sum(match_key(seen.matching, seen.faces[other]) == key for other in bits(seen.free))
