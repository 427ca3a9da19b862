"""What is wrong with a layout file, and where: the one thing that is told about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from libs.rules.solitaire.layouts import (
    LEVELS_MAX,
    TILES_MAX,
    Layout,
    LayoutFault,
    LayoutFaultKind,
    Position,
    find_faults,
)


@dataclass(frozen=True)
class FileFault:
    """One fault, in words that follow "line 12: "."""

    line: int
    text: str


class FileRefusedError(Exception):
    """Carries a fault out of the depth of a parser; parsers return it, they never raise it."""

    def __init__(self, line: int, text: str) -> None:
        self.fault = FileFault(line, text)
        super().__init__(text)


@dataclass(frozen=True)
class PlacedTile:
    """A tile and the line of the file that places it."""

    position: Position
    line: int


def build(name: str, tiles: Sequence[PlacedTile], line: int) -> Layout:
    """The layout of these tiles. Raises FileRefusedError.

    It tells of the first tile that is wrong; where none is, but their number, it does so at `line`.
    """
    positions = tuple(tile.position for tile in tiles)
    faults = find_faults(positions)
    if faults:
        refused = [(not fault.tiles, _refused(fault, tiles, line)) for fault in faults]
        raise min(refused, key=lambda told: (told[0], told[1].fault.line))[1]
    return Layout(name, positions)


def _refused(fault: LayoutFault, tiles: Sequence[PlacedTile], line: int) -> FileRefusedError:
    match fault.kind:
        case LayoutFaultKind.EMPTY:
            return FileRefusedError(line, "no tile at all")
        case LayoutFaultKind.ODD_TILE_COUNT:
            return FileRefusedError(line, f"an odd number of tiles, {len(tiles)}: they leave in pairs")
        case LayoutFaultKind.TOO_MANY_TILES:
            return too_many_tiles(line)
        case LayoutFaultKind.TOO_MANY_LEVELS:
            return FileRefusedError(tiles[fault.tiles[0]].line, f"more than {LEVELS_MAX} levels")
        case LayoutFaultKind.OUTSIDE_GRID:
            tile = tiles[fault.tiles[0]]
            return FileRefusedError(tile.line, f"the {_told(tile)} lies outside the grid")
        case LayoutFaultKind.OVERLAP:
            first, second = sorted((tiles[index] for index in fault.tiles), key=lambda tile: tile.line)
            return FileRefusedError(second.line, f"the {_told(second)} overlaps that of line {first.line}")


def too_many_tiles(line: int) -> FileRefusedError:
    """The refusal of a layout that is too large for any board."""
    return FileRefusedError(line, f"more than {TILES_MAX} tiles")


def _told(tile: PlacedTile) -> str:
    x, y, z = tile.position
    return f"tile at column {x / 2:g}, row {y / 2:g} of level {z}"
