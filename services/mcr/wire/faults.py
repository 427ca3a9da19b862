"""Which field of a request makes that a hand cannot be."""

from __future__ import annotations

from collections import Counter
from typing import Final

from libs.rules.mcr.hand import Fault, Hand, NotAHandError, Win
from libs.rules.mcr.tiles import COPIES, WINDS, TileIndex
from libs.runtime.errors import Refused
from services.mcr.wire.scoring import not_a_hand

_FIELDS: Final = {
    Fault.WRONG_COUNT: "concealed",
    Fault.TOO_MANY_MELDS: "melds",
    Fault.FLOWERS: "last.flowers",
    Fault.REPLACEMENT_WITHOUT_KONG: "last.source",
    Fault.ROBBED_TILE_HELD: "last.source",
    Fault.ROBBED_LAST_TILE: "last.last_of_wall",
    Fault.LAST_OF_KIND_HELD: "last.last_of_kind",
}


def refused(error: NotAHandError, hand: Hand, last: Win | None, field: str) -> Refused:
    """The refusal: its first fault, with the field of it; the message tells all of them."""
    fault = error.faults[0]
    return not_a_hand(fault.name, f"{field}.{_field(fault, hand, last)}", str(error))


def _field(fault: Fault, hand: Hand, last: Win | None) -> str:
    match fault:
        case Fault.IMPOSSIBLE_MELD:
            place = next(place for place, meld in enumerate(hand.melds) if not meld.is_possible)
            return f"melds[{place}]"
        case Fault.FIVE_COPIES:
            return _fifth(hand, last)
        case Fault.NO_WIND:
            is_seat = last is not None and last.seat_wind not in WINDS
            return "last.seat_wind" if is_seat else "last.prevalent_wind"
        case _:
            return _FIELDS[fault]


def _fifth(hand: Hand, last: Win | None) -> str:
    """Where a tile is there for the fifth time: among the concealed ones, then the melds, then the last."""
    seen = Counter[TileIndex]()
    parts = [(f"concealed[{place}]", (tile,)) for place, tile in enumerate(hand.concealed)]
    melds = [(f"melds[{place}]", meld.tiles) for place, meld in enumerate(hand.melds)]
    for field, tiles in [*parts, *melds]:
        seen.update(tiles)
        if max(seen.values()) > COPIES:
            return field
    return "concealed" if last is None else "last.tile"
