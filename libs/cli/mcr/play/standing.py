"""How far the own hand is: told when a player asks."""

from __future__ import annotations

from libs.cli.mcr.play.picture import ordered
from libs.cli.table_hands import distance, hand_of
from libs.client.deal_views import DealView
from libs.kernel.mcr import completing, least_shanten
from libs.rules.mcr.hand import HELD, Hand
from libs.rules.mcr.notation import write_tiles
from libs.rules.mcr.shanten import in_reach
from libs.rules.mcr.wall import is_bonus


def standing(deal: DealView) -> str:
    """A sentence on the own hand: what it waits for, or which discards leave it nearest to that."""
    if deal.seat is None or any(map(is_bonus, deal.seats[deal.seat].hand)):
        return ""  # no hand yet: flowers are still to be replaced
    seat = deal.seats[deal.seat]
    if len(seat.hand) + 3 * len(seat.melds) == HELD:
        return _waiting(hand_of(seat))
    tiles = ordered(seat.hand, deal.drawn)
    distances = {number: distance(seat, tile) for number, tile in enumerate(tiles, start=1)}
    least = min(distances.values())
    best = [str(number) for number, found in distances.items() if found == least]
    return f"{_how_far(least)} without tile {', '.join(best)}."


def _waiting(hand: Hand) -> str:
    least = least_shanten(hand)
    if least:
        return f"{_how_far(least)}."
    return f"Your hand waits for {write_tiles(in_reach(hand, completing(hand))) or 'nothing that is left'}."


def _how_far(shanten: int) -> str:
    if shanten == 0:
        return "Your hand is ready"
    return f"Your hand is {shanten} {'tile' if shanten == 1 else 'tiles'} from ready"
