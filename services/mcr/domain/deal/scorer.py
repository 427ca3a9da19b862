"""The scorer of the rules, as a deal asks it."""

from __future__ import annotations

from typing import Final

from libs.kernel.mcr import score
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from libs.rules.mcr.profile import MIL
from services.mcr.domain.deal.terms import FanCount, WinScore

_FANS: Final = {fan.number: fan for fan in (*FANS, MIXED_KONGS)}


def rule_book(hand: Hand, last: LastTile) -> WinScore | None:
    """What a hand is worth by the rules in the default profile; None for one that is not complete.

    Raises NotAHandError for what cannot be: a deal that asks that has a fault.
    """
    best = score(hand, last, MIL)
    if best is None:
        return None
    fans = tuple(FanCount(number, times, times * MIL.points(_FANS[number])) for number, times in best.counted)
    return WinScore(fans, best.total_without_flowers, best.flowers)
