"""A simple player of the command line's own: it wins when it can, and else comes nearer to ready."""

from __future__ import annotations

from collections.abc import Sequence

from libs.client.deal_views import Action, ActionKind, DealView, MeldView
from libs.kernel.mcr import least_shanten
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.wall import TileId, kind_of, kinds_of


def automatic(deal: DealView) -> Action:
    """What it does where the deal asks something of this player."""
    assert deal.seat is not None, "a bystander is asked nothing"
    by_kind = {action.kind: action for action in reversed(deal.actions)}
    for kind in (ActionKind.WIN, ActionKind.PASS):
        if kind in by_kind:
            return by_kind[kind]
    seat = deal.seats[deal.seat]
    discards = [action for action in deal.actions if action.kind is ActionKind.DISCARD]
    return min(discards, key=lambda action: _distance(seat.hand, seat.melds, action.tiles[0]))


def _distance(hand: Sequence[TileId], melds: Sequence[MeldView], discard: TileId) -> int:
    rest = kinds_of(tile for tile in hand if tile != discard)
    return least_shanten(Hand(rest, tuple(map(_set, melds))))


def _set(meld: MeldView) -> Set:
    is_chow = meld.kind.value == "chow"
    kind = SetKind.CHOW if is_chow else SetKind.PUNG if len(meld.tiles) == 3 else SetKind.KONG
    return Set(kind, kind_of(min(meld.tiles)), melded=True, concealed=meld.kind.value == "concealed_kong")
