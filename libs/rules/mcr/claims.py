"""Claims on a tile of another seat: who may make which, with which own tiles, and whose goes first."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from itertools import combinations, product
from typing import Final

from libs.rules.mcr.tiles import COPIES, FIRST_HONOR, RANKS, TileIndex
from libs.rules.mcr.wall import SEATS, TileId, is_bonus, kind_of

Tiles = tuple[TileId, ...]
"""Physical tiles, ascending."""

PUNG_OWN: Final = 2
KONG_OWN: Final = 3


class Priority(IntEnum):
    """What goes before what, the highest first."""

    CHOW = 1
    PUNG_OR_KONG = 2
    WIN = 3


def distance(seat: int, discarder: int) -> int:
    """How far behind the discarder in turn order: 1 for the next player, 3 for the one before."""
    return (seat - discarder) % SEATS


def same_kind(tile: TileId, hand: Iterable[TileId]) -> Tiles:
    """The tiles of a hand that are of the kind of this one."""
    kind = kind_of(tile)
    return tuple(sorted(own for own in hand if own // COPIES == kind))  # no flower has a kind's number


def makes_chow(tile: TileId, own: Tiles) -> bool:
    """Whether two own tiles and this one are three consecutive tiles of a suit."""
    kinds = sorted(kind_of(each) for each in (tile, *own))
    if len(kinds) != 3 or kinds[-1] >= FIRST_HONOR:
        return False
    low, middle, high = kinds
    return middle == low + 1 and high == low + 2 and low // RANKS == high // RANKS


def makes_same(tile: TileId, own: Tiles) -> bool:
    """Whether own tiles are all of the kind of this one."""
    return all(kind_of(each) == kind_of(tile) for each in own)


def pungs(tile: TileId, hand: Iterable[TileId]) -> list[Tiles]:
    """The pairs of own tiles that make a pung with it."""
    return list(combinations(same_kind(tile, hand), PUNG_OWN))


def kongs(tile: TileId, hand: Iterable[TileId]) -> list[Tiles]:
    """The three own tiles that make a kong with it, where the hand has them."""
    return list(combinations(same_kind(tile, hand), KONG_OWN))


def chows(tile: TileId, hand: Iterable[TileId]) -> list[Tiles]:
    """The pairs of own tiles that make a chow with it."""
    kind = kind_of(tile)
    if kind >= FIRST_HONOR:
        return []
    held: dict[TileIndex, list[TileId]] = {}
    for own in hand:
        if not is_bonus(own):
            held.setdefault(kind_of(own), []).append(own)
    found = []
    for low in range(kind - 2, kind + 1):
        if low // RANKS != kind // RANKS or (low + 2) // RANKS != kind // RANKS:
            continue
        others = [TileIndex(each) for each in range(low, low + 3) if each != kind]
        pairs = product(held.get(others[0], ()), held.get(others[1], ()))
        found += [tuple(sorted(pair)) for pair in pairs]
    return found


def own_kongs(hand: Iterable[TileId]) -> list[Tiles]:
    """Every four of a kind that a hand holds."""
    held: dict[TileIndex, list[TileId]] = {}
    for own in hand:
        if not is_bonus(own):
            held.setdefault(kind_of(own), []).append(own)
    return [tuple(sorted(tiles)) for tiles in held.values() if len(tiles) == KONG_OWN + 1]
