"""What a seat knows of a deal by its view, in kinds of tiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import COPIES, KINDS, TileIndex
from libs.rules.mcr.wall import kind_of, kinds_of
from services.mcr.domain.deal.terms import Meld
from services.mcr.domain.deal.view import DealView

Tiles = tuple[TileIndex, ...]
Sets = tuple[Set, ...]


class Seen(NamedTuple):
    """A hand, and the tiles of which nobody knows where they are."""

    held: Tiles
    """The own concealed tiles, ascending."""
    melds: Sets
    unseen: tuple[int, ...]
    """By kind, copies in the wall, in others' hands and in their concealed kongs."""
    winds: tuple[TileIndex, TileIndex]
    """Of the seat, and the prevalent one."""


def seen(view: DealView, *, is_table_seen: bool = True) -> Seen:
    """What the viewer, who sits at the table, sees; or what is seen by who looks at the own tiles alone."""
    assert view.seat is not None, "a bystander plays nothing"
    own = view.seats[view.seat]
    assert own.hand is not None, "the own hand is open"
    unseen = [COPIES] * KINDS
    looked_at = view.seats if is_table_seen else (own,)
    open_tiles = [tile for seat in looked_at for meld in seat.melds for tile in meld.tiles]
    discards = [tile for seat in looked_at for tile in seat.discards]
    for tile in (*own.hand, *open_tiles, *discards):
        unseen[kind_of(tile)] -= 1
    if not is_table_seen and view.offered is not None:
        unseen[kind_of(view.offered)] -= 1
    melds = tuple(Meld(meld.kind, meld.tiles).as_set for meld in own.melds)
    return Seen(kinds_of(own.hand), melds, tuple(unseen), (own.wind, view.terms.prevalent_wind))


def without(held: Tiles, gone: Iterable[TileIndex]) -> Tiles:
    """The tiles that are left when these are taken away."""
    rest = list(held)
    for kind in gone:
        rest.remove(kind)
    return tuple(rest)
