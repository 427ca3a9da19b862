"""Open hands of MCR as the rules have them, and how far they are from ready."""

from __future__ import annotations

from collections.abc import Sequence

from libs.client.deal_views import MeldKind, MeldView, SeatView
from libs.kernel.mcr import least_shanten
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.wall import TileId, kind_of, kinds_of

_KINDS = {MeldKind.CHOW: SetKind.CHOW, MeldKind.PUNG: SetKind.PUNG}


def distance(seat: SeatView, discard: TileId) -> int:
    """The shanten number of a hand after a discard."""
    return least_shanten(hand_of(seat, discard))


def hand_of(seat: SeatView, without: TileId | None = None) -> Hand:
    """An open hand as the rules have it, a tile left out."""
    return Hand(kinds_of(tile for tile in seat.hand if tile != without), _sets(seat.melds))


def _sets(melds: Sequence[MeldView]) -> tuple[Set, ...]:
    return tuple(
        Set(
            _KINDS.get(meld.kind, SetKind.KONG),
            kind_of(min(meld.tiles)),
            melded=True,
            concealed=meld.kind is MeldKind.CONCEALED_KONG,
        )
        for meld in melds
    )
