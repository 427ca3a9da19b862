"""Sets: chows, pungs and kongs, melded or in the hand."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from libs.rules.mcr.tiles import TileIndex, rank_of


class SetKind(StrEnum):
    """What three or four tiles make together."""

    CHOW = "chow"
    """Three consecutive tiles of a suit."""
    PUNG = "pung"
    KONG = "kong"


class Set(NamedTuple):
    """One of the four sets of a hand."""

    kind: SetKind
    tile: TileIndex
    """The lowest tile of a chow; of the others, the tile."""
    melded: bool = False
    """Laid on the table: exposed, or a concealed kong."""
    concealed: bool = True
    """False of what was completed with another's discard: an exposed chow, pung or kong."""

    @property
    def is_chow(self) -> bool:
        """Whether it is a sequence; else it is a pung or a kong."""
        return self.kind is SetKind.CHOW

    @property
    def is_kong(self) -> bool:
        """Whether it has four tiles."""
        return self.kind is SetKind.KONG

    @property
    def tiles(self) -> tuple[TileIndex, ...]:
        """Its three or four tiles."""
        if self.is_chow:
            return (self.tile, TileIndex(self.tile + 1), TileIndex(self.tile + 2))
        return (self.tile,) * (4 if self.is_kong else 3)

    @property
    def is_possible(self) -> bool:
        """Whether there is such a set: a chow needs two higher ranks; only a kong is melded concealed."""
        if self.is_chow and not 1 <= rank_of(self.tile) <= 7:
            return False
        return self.is_kong if self.melded and self.concealed else True


def exposed(kind: SetKind, tile: TileIndex) -> Set:
    """A set that was claimed from a discard."""
    return Set(kind, tile, melded=True, concealed=False)


def concealed_kong(tile: TileIndex) -> Set:
    """A kong that was declared of four own tiles: melded, and the hand stays concealed."""
    return Set(SetKind.KONG, tile, melded=True, concealed=True)
