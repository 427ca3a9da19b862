"""The scorer of the rules, as a deal asks it."""

from __future__ import annotations

from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from libs.rules.mcr.profile import MIL
from libs.rules.mcr.score import score
from services.mcr.domain.deal.terms import FanCount, WinScore


def rule_book(hand: Hand, last: LastTile) -> WinScore | None:
    """What a hand is worth by the rules in the default profile; None for one that is not complete.

    Raises NotAHandError for what cannot be: a deal that asks that has a fault.
    """
    best = score(hand, last, MIL)
    if best is None:
        return None
    times: dict[int, int] = {}
    points: dict[int, int] = {}
    for counted in best.counted:
        number = counted.fan.number
        times[number] = times.get(number, 0) + 1
        points[number] = points.get(number, 0) + counted.points
    fans = tuple(FanCount(number, count, points[number]) for number, count in times.items())
    return WinScore(fans, best.total_without_flowers, best.flowers)
