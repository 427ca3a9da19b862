"""The wall: 144 physical tiles in a secret order, and how they are dealt.

Every tile has an identity of its own: 4k to 4k+3 are the copies of kind k (see `tiles`), 136 to 139 the
flowers, 140 to 143 the seasons, one of each. The order of the wall, and who deals first, follow from 256
secret bits (`solitaire.prng`, the one source of chance): the order is `shuffled(0 .. 143)` under the child
seed "wall", the first dealer `below(4)` under the child seed "dealer". Tiles are drawn from the beginning of
the wall; those that replace flowers and kongs come from its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NewType

from libs.rules.mcr.tiles import COPIES, KINDS, TileIndex
from libs.rules.solitaire.prng import Prng, child_seed
from libs.rules.tiles import BONUS, ORDINARY, Face

TileId = NewType("TileId", int)
"""0 to 143: one physical tile."""

SEATS: Final = 4
TILES: Final = 144
WALL_VERSION: Final = 1
"""Of the way from a seed to a wall; part of what is committed to."""
DEALT_MAX: Final = 14
"""Tiles of the dealer; the others have one less."""
_BONUS_FIRST: Final = COPIES * KINDS


def is_bonus(tile: TileId) -> bool:
    """Whether the tile is a flower or a season: shown and replaced, never part of a hand."""
    return tile >= _BONUS_FIRST


def kind_of(tile: TileId) -> TileIndex:
    """The kind of a tile that hands are made of."""
    assert 0 <= tile < _BONUS_FIRST, "flowers have no kind"
    return TileIndex(tile // COPIES)


def kinds_of(tiles: Iterable[TileId]) -> tuple[TileIndex, ...]:
    """The kinds of such tiles, in their order."""
    return tuple(kind_of(tile) for tile in tiles)


def face_of(tile: TileId) -> Face:
    """What is printed on a tile."""
    return BONUS[tile - _BONUS_FIRST] if is_bonus(tile) else ORDINARY[tile // COPIES]


def copies_of(kind: TileIndex) -> tuple[TileId, ...]:
    """The four tiles of a kind."""
    return tuple(TileId(COPIES * kind + copy) for copy in range(COPIES))


def wall_of(seed: bytes) -> tuple[TileId, ...]:
    """All 144 tiles in the order that the seed lays down."""
    return tuple(Prng(child_seed(seed, "wall")).shuffled(map(TileId, range(TILES))))


def first_dealer_of(seed: bytes) -> int:
    """The seat that deals first, 0 to 3."""
    return Prng(child_seed(seed, "dealer")).below(SEATS)


def seats_from(seat: int) -> Iterator[int]:
    """All seats in turn order, that one first."""
    return ((seat + step) % SEATS for step in range(SEATS))


def dealt(wall: tuple[TileId, ...], dealer: int) -> tuple[tuple[TileId, ...], ...]:
    """The hands by seat as they come from the beginning of the wall, flowers among them.

    From the dealer on, three times four tiles each, then one each, then one more for the dealer: that one is
    the last of the dealer's 14.
    """
    hands: list[list[TileId]] = [[] for _ in range(SEATS)]
    tiles = iter(wall)
    for count in (4, 4, 4, 1):
        for seat in seats_from(dealer):
            hands[seat] += [next(tiles) for _ in range(count)]
    hands[dealer].append(next(tiles))
    return tuple(map(tuple, hands))


DEALT: Final = SEATS * (DEALT_MAX - 1) + 1
"""How many tiles have left the beginning of the wall when all are dealt."""
