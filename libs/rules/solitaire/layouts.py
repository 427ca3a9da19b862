"""Layouts: the places of the tiles, in half-tile units.

A tile at (x, y, z) fills [x, x+2) x [y, y+2) on level z; x grows to the right, y down, z up. A tile can
therefore sit on the seam of two, or of four, below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, reduce
from operator import or_
from typing import Final, NamedTuple

from libs.rules.solitaire.bitset import bits

GRID_WIDTH: Final = 64
GRID_HEIGHT: Final = 64
LEVELS_MAX: Final = 16
TILES_MAX: Final = 288
_NEAR: Final = (-1, 0, 1)
"""Half tiles that two corners may be apart, across and down, for their tiles to overlap."""


class Position(NamedTuple):
    """The upper left corner of a tile and its level."""

    x: int
    y: int
    z: int


class LayoutFaultKind(StrEnum):
    """What can be wrong with a list of positions."""

    EMPTY = "empty"
    ODD_TILE_COUNT = "odd_tile_count"
    TOO_MANY_TILES = "too_many_tiles"
    TOO_MANY_LEVELS = "too_many_levels"
    OUTSIDE_GRID = "outside_grid"
    OVERLAP = "overlap"


@dataclass(frozen=True)
class LayoutFault:
    """One fault, and the tiles (list indices) that show it: two for an overlap, none for a count."""

    kind: LayoutFaultKind
    tiles: tuple[int, ...] = ()


class InvalidLayoutError(ValueError):
    """The positions are no layout; `faults` holds everything that is wrong, not the first thing."""

    def __init__(self, name: str, faults: tuple[LayoutFault, ...]) -> None:
        self.faults = faults
        told = ", ".join(f"{fault.kind}{list(fault.tiles) if fault.tiles else ''}" for fault in faults[:5])
        more = f" and {len(faults) - 5} more" if len(faults) > 5 else ""
        super().__init__(f"layout {name!r}: {told}{more}")


class Masks(NamedTuple):
    """For every tile the set of tiles that stand in a relation to it."""

    above: tuple[int, ...]
    """Tiles on any higher level that overlap its area."""
    left: tuple[int, ...]
    """Tiles on its level that touch its left edge."""
    right: tuple[int, ...]
    """Tiles on its level that touch its right edge."""
    hinders: tuple[int, ...]
    """The reverse of the three: tiles that this one covers or touches at the side."""


@dataclass(frozen=True)
class Layout:
    """A named set of places; the index in `tiles` is the tile's number in every position on it."""

    name: str
    tiles: tuple[Position, ...]

    @classmethod
    def parse(cls, name: str, positions: Iterable[tuple[int, int, int]]) -> Layout:
        """The layout with these positions in this order. Raises InvalidLayoutError with all faults."""
        tiles = tuple(Position(*position) for position in positions)
        faults = find_faults(tiles)
        if faults:
            raise InvalidLayoutError(name, faults)
        return cls(name, tiles)

    @property
    def size(self) -> int:
        """How many tiles the whole board has."""
        return len(self.tiles)

    @cached_property
    def full(self) -> int:
        """The set of all tiles: the position before the first move."""
        return (1 << len(self.tiles)) - 1

    @cached_property
    def levels(self) -> int:
        """How many levels high the layout is."""
        return 1 + max(tile.z for tile in self.tiles)

    @cached_property
    def masks(self) -> Masks:
        """Who covers and who touches whom, computed once."""
        at: dict[tuple[int, int, int], int] = {tile: 1 << index for index, tile in enumerate(self.tiles)}
        above, left, right = [], [], []
        for x, y, z in self.tiles:
            over = [(x + dx, y + dy) for dx in _NEAR for dy in _NEAR]
            # Any higher level counts, not only the next one: a bridge with a gap below it covers too.
            above.append(
                _any(at.get((*corner, upper), 0) for upper in range(z + 1, self.levels) for corner in over)
            )
            left.append(_any(at.get((x - 2, y + dy, z), 0) for dy in _NEAR))
            right.append(_any(at.get((x + 2, y + dy, z), 0) for dy in _NEAR))
        hinders = [0] * len(self.tiles)
        for tile in range(len(self.tiles)):
            for other in bits(above[tile] | left[tile] | right[tile]):
                hinders[other] |= 1 << tile
        return Masks(tuple(above), tuple(left), tuple(right), tuple(hinders))


def find_faults(tiles: tuple[Position, ...]) -> tuple[LayoutFault, ...]:
    """Everything that keeps these positions from being a layout; empty when they are one."""
    if not tiles:
        return (LayoutFault(LayoutFaultKind.EMPTY),)
    if len(tiles) > TILES_MAX:
        return (LayoutFault(LayoutFaultKind.TOO_MANY_TILES),)
    faults = []
    if len(tiles) % 2:
        faults.append(LayoutFault(LayoutFaultKind.ODD_TILE_COUNT))
    for index, (x, y, z) in enumerate(tiles):
        if not (0 <= x <= GRID_WIDTH - 2 and 0 <= y <= GRID_HEIGHT - 2 and z >= 0):
            faults.append(LayoutFault(LayoutFaultKind.OUTSIDE_GRID, (index,)))
        if z >= LEVELS_MAX:
            faults.append(LayoutFault(LayoutFaultKind.TOO_MANY_LEVELS, (index,)))
    faults += [
        LayoutFault(LayoutFaultKind.OVERLAP, (first, second))
        for second, tile in enumerate(tiles)
        for first in range(second)
        if tiles[first].z == tile.z and _overlaps(tiles[first], tile)
    ]
    return tuple(faults)


def _overlaps(one: Position, other: Position) -> bool:
    return abs(one.x - other.x) < 2 and abs(one.y - other.y) < 2


def _any(masks: Iterable[int]) -> int:
    """The union of sets that are masks."""
    return reduce(or_, masks, 0)
