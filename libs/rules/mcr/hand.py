"""A hand and how its last tile came; what is wrong with what is no hand."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import COPIES, EAST, NOTATION, WINDS, TileIndex, counted

HELD: Final = 13
"""Tiles of a hand that waits, a meld counted as three."""
MELDS_MAX: Final = 4
FLOWERS_MAX: Final = 8


class Hand(NamedTuple):
    """The tiles before the last one came."""

    concealed: tuple[TileIndex, ...]
    melds: tuple[Set, ...] = ()

    @property
    def all_tiles(self) -> tuple[TileIndex, ...]:
        """Concealed and melded tiles, all four of a kong."""
        return self.concealed + tuple(tile for meld in self.melds for tile in meld.tiles)


class Win(NamedTuple):
    """The last tile and its circumstances."""

    tile: TileIndex
    self_drawn: bool = False
    last_of_kind: bool = False
    """The other three copies are all face up on the table."""
    last_tile: bool = False
    """The wall's last tile, or the discard that follows it."""
    kong_related: bool = False
    """Self-drawn: the replacement tile of a kong. Else: the tile that another adds to a pung, robbed."""
    seat_wind: TileIndex = EAST
    prevalent_wind: TileIndex = EAST
    flowers: int = 0

    @property
    def robbed(self) -> bool:
        """Whether the tile was robbed from a kong."""
        return self.kong_related and not self.self_drawn


class Fault(StrEnum):
    """What cannot be."""

    WRONG_COUNT = "13 tiles are needed besides the last one, a meld counted as three"
    TOO_MANY_MELDS = "more than four melds"
    IMPOSSIBLE_MELD = "no such meld: a chow lies within a suit, and only a kong is melded concealed"
    FIVE_COPIES = "five copies of a tile"
    NO_WIND = "seat and prevalent wind are winds"
    FLOWERS = "flowers are 0 to 8"
    REPLACEMENT_WITHOUT_KONG = "a replacement tile without a kong"
    ROBBED_TILE_HELD = "a tile robbed from another's kong, of which the hand has a copy"
    ROBBED_LAST_TILE = "a tile robbed from a kong after the last tile: a kong needs a tile to replace it"
    LAST_OF_KIND_HELD = "the last of its kind, of which the hand has a concealed copy"


class NotAHandError(ValueError):
    """These tiles and circumstances cannot be; `faults` tells everything that is wrong."""

    def __init__(self, faults: tuple[tuple[Fault, str], ...]) -> None:
        super().__init__("; ".join(f"{fault} ({what})" if what else str(fault) for fault, what in faults))
        self.faults = tuple(fault for fault, _ in faults)


def check_hand(hand: Hand) -> None:
    """Nothing for tiles that somebody may hold before the last one comes. Raises NotAHandError."""
    if faults := _of_hand(hand):
        raise NotAHandError(tuple(faults))


def check(hand: Hand, win: Win) -> None:
    """Nothing for a hand, complete or not, that can come about in this way. Raises NotAHandError."""
    faults = _of_hand(Hand((*hand.concealed, win.tile), hand.melds), surplus=1)
    if {win.seat_wind, win.prevalent_wind} - WINDS:
        faults.append((Fault.NO_WIND, ""))
    if not 0 <= win.flowers <= FLOWERS_MAX:
        faults.append((Fault.FLOWERS, str(win.flowers)))
    name = NOTATION[win.tile]
    if win.kong_related and win.self_drawn and not any(meld.is_kong for meld in hand.melds):
        faults.append((Fault.REPLACEMENT_WITHOUT_KONG, ""))
    if win.robbed and win.tile in hand.all_tiles:
        faults.append((Fault.ROBBED_TILE_HELD, name))
    if win.robbed and win.last_tile:
        faults.append((Fault.ROBBED_LAST_TILE, ""))
    if win.last_of_kind and win.tile in hand.concealed:
        faults.append((Fault.LAST_OF_KIND_HELD, name))
    if faults:
        raise NotAHandError(tuple(faults))


def _of_hand(hand: Hand, surplus: int = 0) -> list[tuple[Fault, str]]:
    faults = []
    tiles = len(hand.concealed) + 3 * len(hand.melds) - surplus
    if len(hand.melds) > MELDS_MAX:
        faults.append((Fault.TOO_MANY_MELDS, str(len(hand.melds))))
    elif tiles != HELD:
        faults.append((Fault.WRONG_COUNT, str(tiles)))
    impossible = [meld for meld in hand.melds if not meld.is_possible]
    if impossible:
        faults += [(Fault.IMPOSSIBLE_MELD, f"{meld.kind} of {NOTATION[meld.tile]}") for meld in impossible]
        return faults
    counts = counted(hand.all_tiles)
    faults += [(Fault.FIVE_COPIES, NOTATION[tile]) for tile, count in enumerate(counts) if count > COPIES]
    return faults
