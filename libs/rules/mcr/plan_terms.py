"""A question about the worth of a hand's tiles, and its answer; `plan.py` says what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from libs.rules.mcr.hand import HELD, MELDS_MAX
from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import ALL_TILES, COPIES, KINDS, WINDS, TileIndex, counted

FARTHEST: Final = 8
"""Tiles that may be missing; more are never looked for."""
RATE_BITS: Final = 16
BASE_MAX: Final = 255
NO_QUESTION: Final = "these are no tiles and rates of a hand"


class Rates(NamedTuple):
    """How likely an unseen tile of each kind comes in time, in 65536th; each at least the one before."""

    own: Sequence[int]
    """Drawn."""
    chow: Sequence[int]
    """Drawn, or discarded by the player before."""
    any: Sequence[int]
    """Drawn, or discarded by anybody."""


class Question(NamedTuple):
    """A hand of 13 or 14 tiles, a meld counted as three, and what its seat knows."""

    concealed: tuple[TileIndex, ...]
    melds: tuple[Set, ...]
    unseen: Sequence[int]
    """Copies of each kind that the seat does not see."""
    winds: tuple[TileIndex, TileIndex]
    """Of the seat, and the prevalent one."""
    rates: Rates
    base: int
    """What a win is worth besides its points, up to 255."""
    reach: int = 0
    """How many tiles may be missing; 0: one more than the nearest hand that counts 8 points lacks."""


class Plan(NamedTuple):
    """What there is to reach."""

    worth: tuple[int, ...]
    """By kind, when one such tile is discarded; -1 of a kind that is not held."""
    total: int
    """When none is."""
    nearest: int
    """Tiles missing from the nearest hand that counts 8 points; 9: none is within reach."""
    reach: int
    """How many could be missing."""


def is_possible(asked: Question) -> bool:
    """Whether somebody may hold these tiles, and the numbers are in their bounds."""
    own, chow, every = asked.rates
    tiles = len(asked.concealed) + 3 * len(asked.melds)
    if len(asked.melds) > MELDS_MAX or tiles not in {HELD, HELD + 1} or not WINDS.issuperset(asked.winds):
        return False
    if not (0 <= asked.reach <= FARTHEST and 0 <= asked.base <= BASE_MAX):
        return False
    if any(len(row) != KINDS for row in (asked.unseen, *asked.rates)):
        return False
    if not all(0 <= tile < KINDS for tile in asked.concealed):
        return False
    if not all(meld.is_possible for meld in asked.melds):
        return False
    held = counted((*asked.concealed, *(tile for meld in asked.melds for tile in meld.tiles)))
    return all(
        asked.unseen[tile] >= 0
        and asked.unseen[tile] + held[tile] <= COPIES
        and 0 <= own[tile] <= chow[tile] <= every[tile] < 1 << RATE_BITS
        for tile in ALL_TILES
    )
