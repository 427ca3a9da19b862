"""A board as its seat sees it: a value that grows by one update after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from libs.client.results import Update


class Place(NamedTuple):
    """Where a tile lies, in half-tile units: it fills [x, x+2) by [y, y+2) on level z."""

    x: int
    y: int
    z: int


@dataclass(frozen=True, slots=True)
class BoardView:
    """The tiles that are left and what the seat knows about them. Tiles are indices into `places`.

    `faces` are those that the seat has seen; `free` the tiles that a touch would lift; `pair_available` is
    false on a board without a move.
    """

    layout: str
    places: tuple[Place, ...]
    present: frozenset[int]
    faces: Mapping[int, str]
    lifted: int | None
    free: frozenset[int]
    pair_available: bool
    version: int

    @property
    def tiles_left(self) -> int:
        """How many tiles are left, a lifted one included."""
        return len(self.present)

    @property
    def is_cleared(self) -> bool:
        """Whether nothing is left."""
        return not self.present

    @property
    def is_blocked(self) -> bool:
        """Whether tiles are left and no pair is available: only a restart helps."""
        return bool(self.present) and not self.pair_available

    def after(self, update: Update) -> BoardView:
        """Return the board after an update; an update that is in it already changes nothing."""
        is_own_move = update.outcome is not None  # the signal, and others' moves, leave the version alone
        if update.board_version < self.version or (is_own_move and update.board_version == self.version):
            return self
        present = self.present.difference(update.pair or ())
        seen = {**self.faces, **update.uncovered}
        return replace(
            self,
            present=present,
            faces={tile: face for tile, face in seen.items() if tile in present},
            lifted=update.lifted,
            free=update.free,
            pair_available=update.pair_available,
            version=update.board_version,
        )
