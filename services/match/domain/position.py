"""A board between two pairs: what is left of it, and the questions that players ask about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, Pairing, free_mask, is_uncovered, uncovered
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import has_available_pair
from libs.rules.tiles import Face


@dataclass(frozen=True)
class Position:
    """The tiles that are left, a lifted one included. Sets of tiles are ints: bit t is tile t."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int

    @property
    def tiles_left(self) -> int:
        """How many tiles are left."""
        return self.present.bit_count()

    @cached_property
    def pair_available(self) -> bool:
        """Whether a pair is available (matching exact, pairing lift). False while tiles are left: blocked."""
        return has_available_pair(self.layout, self.faces, self.present, Matching.EXACT, Pairing.LIFT)

    def without(self, first: int, second: int) -> Position:
        """The position after the pair has left."""
        return Position(self.layout, self.faces, self.present & ~(1 << first | 1 << second))

    def free(self, lifted: int | None) -> int:
        """The tiles free for lifting or as a partner: a lifted tile is free itself and blocks nothing."""
        found = self._free_by_lift.get(lifted)
        if found is None:
            away = 0 if lifted is None else 1 << lifted
            found = self._free_by_lift[lifted] = free_mask(self.layout, self.present & ~away) | away
        return found

    @cached_property
    def _free_by_lift(self) -> dict[int | None, int]:
        """Answers given before: the reply and every stream that shows a command ask the same."""
        return {}

    def uncovered(self) -> int:
        """The tiles whose face can be seen with nothing lifted."""
        seen = 0
        for tile in uncovered(self.layout, self.present):
            seen |= 1 << tile
        return seen

    def uncovered_by(self, gone: int, lifted: int | None, known: int) -> int:
        """The tiles not in `known` that can be seen now that the tiles of `gone` are lifted or have left."""
        on_board = self.present if lifted is None else self.present & ~(1 << lifted)
        seen = 0
        for tile in bits(gone):
            for below in bits(self.layout.masks.hinders[tile] & on_board & ~known & ~seen):
                if is_uncovered(self.layout, on_board, below):
                    seen |= 1 << below
        return seen
