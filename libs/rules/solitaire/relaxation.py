"""The relaxed play: what would leave the board if a tile could go as soon as some partner can.

Partners are the tiles that a tile is still allowed to be paired with. A tile leaves when it is free and
one of its partners is gone, or is free, or (pairing `lift`) is free once the tile is lifted. Removing
tiles never makes a free tile unfree, so the rule is monotone: the set that is left at the end does not
depend on the order. Every real line of play that uses allowed partners only is also a relaxed play, so
tiles that stay in the relaxed play stay in all of those.

With exactly one partner allowed for every tile, in pairs, the relaxed play is the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Pairing, free_mask
from libs.rules.solitaire.layouts import Layout


@dataclass
class RelaxedPlay:
    """A relaxed play in progress: what is left, and which of it is free."""

    layout: Layout
    pairing: Pairing
    present: int
    free: int

    @classmethod
    def start(cls, layout: Layout, present: int, pairing: Pairing) -> RelaxedPlay:
        """Before anything has left."""
        return cls(layout, pairing, present, free_mask(layout, present))

    def copy(self) -> RelaxedPlay:
        """An independent play that goes on from here."""
        return RelaxedPlay(self.layout, self.pairing, self.present, self.free)

    def run(self, partners: Sequence[int], todo: int | None = None) -> None:
        """Let everything leave that can; only the tiles of `todo` (default: all free) may start it.

        `partners[t]` is the set of allowed partners of tile t, never with tiles that were gone at the
        start. When this returns, no tile can leave.
        """
        above, left, right, hinders = self.layout.masks
        lift = self.pairing is Pairing.LIFT
        present, free = self.present, self.free
        todo = free if todo is None else todo & free
        while todo:
            low = todo & -todo
            todo ^= low
            tile = low.bit_length() - 1
            mine = partners[tile]
            if not mine & (free | ~present) and not (
                lift and mine & hinders[tile] & present and self._lifting_frees(tile, mine, present)
            ):
                continue
            present ^= low
            free ^= low
            todo |= mine
            rest = hinders[tile] & present & ~free
            while rest:
                bit = rest & -rest
                rest ^= bit
                other = bit.bit_length() - 1
                if above[other] & present:
                    hindered = above[other]
                elif left[other] & present and right[other] & present:
                    hindered = left[other] | right[other]
                else:
                    free |= bit
                    todo |= bit | partners[other]
                    continue
                if lift and hindered & partners[other] & present:
                    todo |= partners[other]
            todo &= free
        self.present, self.free = present, free

    def can_leave(self, tile: int, partners: int) -> bool:
        """Whether the present tile could leave next if these tiles were its only partners."""
        if not self.free >> tile & 1:
            return False
        if partners & (self.free | ~self.present):
            return True
        return self.pairing is Pairing.LIFT and self._lifting_frees(tile, partners, self.present)

    def _lifting_frees(self, tile: int, partners: int, present: int) -> bool:
        """Whether one of the partners becomes free when the free tile is lifted."""
        above, left, right, hinders = self.layout.masks
        without = present & ~(1 << tile)
        return any(
            not above[other] & without and not (left[other] & without and right[other] & without)
            for other in bits(partners & hinders[tile] & without)
        )
