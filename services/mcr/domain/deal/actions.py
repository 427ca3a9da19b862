"""What a seat can do. Tiles are physical ones, ascending."""

from __future__ import annotations

from dataclasses import dataclass

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.wall import TileId


@dataclass(frozen=True, slots=True)
class Discard:
    """Lay a tile down, face up."""

    tile: TileId


@dataclass(frozen=True, slots=True)
class Win:
    """Declare a win: with the drawn tile in one's turn, with the offered one in a window."""


@dataclass(frozen=True, slots=True)
class ConcealedKong:
    """Declare a kong of four own tiles."""

    tiles: Tiles


@dataclass(frozen=True, slots=True)
class AddedKong:
    """Add the fourth tile to an own melded pung."""

    tile: TileId


@dataclass(frozen=True, slots=True)
class Pung:
    """Claim a discard with two own tiles of its kind."""

    tiles: Tiles


@dataclass(frozen=True, slots=True)
class Kong:
    """Claim a discard with three own tiles of its kind."""

    tiles: Tiles


@dataclass(frozen=True, slots=True)
class Chow:
    """Claim the discard of the player before with two own tiles of its suit."""

    tiles: Tiles


@dataclass(frozen=True, slots=True)
class Pass:
    """Claim nothing."""


Claim = Win | Pung | Kong | Chow
Answer = Claim | Pass
TurnAction = Discard | Win | ConcealedKong | AddedKong
Action = TurnAction | Answer


def tiles_of(action: Action) -> Tiles:
    """The tiles that an action names."""
    match action:
        case Discard(tile=tile) | AddedKong(tile=tile):
            return (tile,)
        case ConcealedKong(tiles=tiles) | Pung(tiles=tiles) | Kong(tiles=tiles) | Chow(tiles=tiles):
            return tiles
        case Win() | Pass():
            return ()


def tiles_wanted(action: Action) -> int:
    """How many tiles an action of its kind names."""
    match action:
        case Discard() | AddedKong():
            return 1
        case Pung() | Chow():
            return 2
        case Kong():
            return 3
        case ConcealedKong():
            return 4
        case Win() | Pass():
            return 0
