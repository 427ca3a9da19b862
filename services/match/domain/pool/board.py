"""A board of the pool between two commands, and the questions asked about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Blocked, blockers, free_mask, matches, uncovered
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import has_available_pair
from libs.rules.tiles import Face
from services.match.domain.pool.terms import MATCHING, PAIRING


@dataclass(frozen=True)
class PoolBoard:
    """The tiles that are left. Sets of tiles are ints: bit t is tile t."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int

    @property
    def pairs_left(self) -> int:
        """How many pairs are on the board."""
        return self.present.bit_count() // 2

    @cached_property
    def free(self) -> int:
        """The free tiles."""
        return free_mask(self.layout, self.present)

    @cached_property
    def uncovered(self) -> int:
        """The tiles whose face may be seen."""
        return mask_of(uncovered(self.layout, self.present))

    @cached_property
    def pair_available(self) -> bool:
        """Whether a pair is available (matching bonus_any, pairing both_free)."""
        return has_available_pair(self.layout, self.faces, self.present, MATCHING, PAIRING)

    @property
    def can_shuffle(self) -> bool:
        """Whether some permutation of the faces has an available pair: with two free tiles."""
        return self.free.bit_count() >= 2

    def has(self, tile: int) -> bool:
        """Whether a tile is still on the board."""
        return bool(self.present >> tile & 1)

    def why_blocked(self, tile: int) -> Blocked | None:
        """Why a tile is not free; None when it is."""
        return blockers(self.layout, self.present, tile)

    def match(self, first: int, second: int) -> bool:
        """Whether two tiles show faces that make a pair."""
        return matches(MATCHING, self.faces[first], self.faces[second])

    def without(self, first: int, second: int) -> PoolBoard:
        """The board after a pair has left."""
        return PoolBoard(self.layout, self.faces, self.present & ~(1 << first | 1 << second))

    def showing(self, faces: tuple[Face, ...]) -> PoolBoard:
        """The same places with other faces."""
        return replace(self, faces=faces)
