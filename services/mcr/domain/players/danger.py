"""How likely a discard lets somebody win, by what all can see.

The numbers are counts: of 70,000 pairs of a discarding player and an opponent in 500 deals of four players
who plan, how often the opponent was ready for 8 points, by melds laid down and turns had, and which of the
kinds in the discarding hand it then waited for. What an opponent has thrown is safe, since who heads for 8
points has kept what they need; so is, a little less, what was discarded last and let pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from libs.rules.mcr.tiles import ALL_TILES, FIRST_HONOR, KINDS, RANKS, SUITS, TileIndex
from libs.rules.mcr.wall import kind_of, kinds_of
from services.mcr.domain.deal.view import DealView, SeatView

_TURNS: Final = 3
_READY: Final = (
    (0.0, 0.017, 0.084, 0.2, 0.3, 0.35, 0.4),
    (0.01, 0.043, 0.13, 0.27, 0.39, 0.48, 0.5),
    (0.09, 0.145, 0.27, 0.38, 0.48, 0.6, 0.62),
    (0.35, 0.4, 0.41, 0.48, 0.6, 0.7, 0.7),
    (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
)
"""By melds, and by discards in threes."""
_SUIT: Final = (0.025, 0.04, 0.072, 0.094, 0.11)
_HONOR: Final = (0.0, 0.007, 0.028, 0.061, 0.061)
"""How often a ready player waits for a kind of which so many copies are unseen."""
_BY_RANK: Final = (0.9, 0.85, 1.0, 1.4, 1.25, 1.05, 1.0, 0.7, 0.65)
_THROWN: Final = 0.04
_RECENT: Final = 0.12
_SUSPECT: Final = 3
"""So many open melds of one suit, and none of another, speak for a flush."""
_FLUSH: Final = 1.5


def danger(view: DealView, unseen: Sequence[int]) -> list[float]:
    """By kind, how likely an opponent wins with it when it is discarded now."""
    recent = {kind_of(seat.discards[-1]) for seat in view.seats if seat.discards}
    total = [0.0] * KINDS
    for number, seat in enumerate(view.seats):
        if number != view.seat:
            ready = _READY[len(seat.melds)][min(len(seat.discards) // _TURNS, len(_READY[0]) - 1)]
            for kind, chance in enumerate(_waited_for(seat, unseen, recent)):
                total[kind] += ready * chance
    return total


def _waited_for(seat: SeatView, unseen: Sequence[int], recent: set[TileIndex]) -> list[float]:
    """By kind, how likely the seat waits for it when it is ready."""
    thrown, suits = set(kinds_of(seat.discards)), _suits(seat)
    is_flush = len(seat.melds) >= _SUSPECT and len(suits) == 1
    chances = []
    for kind in ALL_TILES:
        if kind in thrown:
            chance = _THROWN * _SUIT[2]
        elif kind >= FIRST_HONOR:
            chance = _HONOR[unseen[kind]]
        else:
            chance = _SUIT[unseen[kind]] * _BY_RANK[kind % RANKS]
            if is_flush:
                chance *= _FLUSH if kind // RANKS in suits else 1 / _FLUSH
        chances.append(chance * (_RECENT if kind in recent else 1))
    return chances


def _suits(seat: SeatView) -> set[int]:
    """The suits of the open melds."""
    kinds = {kind_of(meld.tiles[0]) for meld in seat.melds if meld.tiles}
    return {kind // RANKS for kind in kinds} - {SUITS}
