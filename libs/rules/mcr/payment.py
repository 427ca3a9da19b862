"""What a win costs whom. The four results of a deal add up to 0."""

from __future__ import annotations

from typing import Final

from libs.rules.mcr.score import POINTS_TO_WIN
from libs.rules.mcr.wall import SEATS

BASE: Final = 8
"""What every opponent pays in any case."""


def payments(total: int, winner: int, payer: int | None) -> tuple[int, ...]:
    """By seat, what a win moves; `total` includes flowers.

    Self-drawn (`payer` None) each opponent pays 8 and the total. On a discard, or a robbed kong, the one
    whose tile it was pays 8 and the total, each of the other two 8.
    """
    assert total >= POINTS_TO_WIN, "a win has 8 points"
    assert payer != winner, "nobody pays oneself"
    paid = [0 if seat == winner else BASE + (total if payer in {None, seat} else 0) for seat in range(SEATS)]
    return tuple(sum(paid) if seat == winner else -paid[seat] for seat in range(SEATS))
