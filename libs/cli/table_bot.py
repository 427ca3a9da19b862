"""A simple player of the command line's own: it wins when it can, and else comes nearer to ready."""

from __future__ import annotations

from libs.cli.table_hands import distance
from libs.client.deal_views import Action, ActionKind, DealView


def automatic(deal: DealView) -> Action:
    """What it does where the deal asks something of this player."""
    assert deal.seat is not None, "a bystander is asked nothing"
    by_kind = {action.kind: action for action in reversed(deal.actions)}
    for kind in (ActionKind.WIN, ActionKind.PASS):
        if kind in by_kind:
            return by_kind[kind]
    seat = deal.seats[deal.seat]
    discards = [action for action in deal.actions if action.kind is ActionKind.DISCARD]
    return min(discards, key=lambda action: distance(seat, action.tiles[0]))
