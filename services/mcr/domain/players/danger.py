"""How likely a discard lets somebody win, by what all can see.

An opponent is nearer to ready the longer the deal lasts and the more sets are laid down. What they wait for
nobody knows: kinds of which more copies are unseen, and middle ranks, are likelier; what they discarded
themselves, and what was discarded last and let pass, is less likely. Melds of one suit alone say that the
rest of the hand is of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from libs.rules.mcr.tiles import ALL_TILES, FIRST_HONOR, KINDS, RANKS, SUITS, TileIndex
from libs.rules.mcr.wall import kind_of, kinds_of
from services.mcr.domain.deal.view import DealView, SeatView

_BY_TURN: Final = (0.01, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.11, 0.14, 0.18, 0.22, 0.26, 0.3, 0.34, 0.38)
_BY_TURN_END: Final = 0.45
"""How likely an opponent without melds is ready, by the turns they have had; and later."""
_BY_MELDS: Final = (0.0, 0.04, 0.12, 0.3, 0.6)
"""What melds add."""
_WAITS: Final = 1.8
"""Kinds that a ready hand waits for, on average."""
_BY_RANK: Final = (1.0, 1.1, 1.3, 1.2, 1.2, 1.2, 1.3, 1.1, 1.0)
_HONOR: Final = 0.6
_FLUSH: Final = 2.0
_THROWN: Final = 0.5
_RECENT: Final = 0.3
_SUSPECT: Final = 2
"""So many melds of one suit, and none of another, may be a flush."""


def danger(view: DealView, unseen: Sequence[int]) -> list[float]:
    """By kind, how likely an opponent wins with it, from 0; not a probability in the strict sense."""
    recent = {kind_of(seat.discards[-1]) for seat in view.seats if seat.discards}
    total = [0.0] * KINDS
    for number, seat in enumerate(view.seats):
        if number == view.seat:
            continue
        likely = _likely(seat, unseen, recent)
        scale = _readiness(seat) * _WAITS / sum(likely)
        for kind in ALL_TILES:
            total[kind] += scale * likely[kind]
    return total


def _readiness(seat: SeatView) -> float:
    turns = len(seat.discards)
    by_turn = _BY_TURN[turns] if turns < len(_BY_TURN) else _BY_TURN_END
    return by_turn + _BY_MELDS[len(seat.melds)]


def _likely(seat: SeatView, unseen: Sequence[int], recent: set[TileIndex]) -> list[float]:
    """How the kinds that somebody may wait for compare."""
    thrown, suits = set(kinds_of(seat.discards)), _suits(seat)
    is_flush = len(seat.melds) >= _SUSPECT and len(suits) == 1
    likely = []
    for kind in ALL_TILES:
        if kind >= FIRST_HONOR:
            chance = _HONOR if unseen[kind] else 0.01
        else:
            chance = _BY_RANK[kind % RANKS] * (0.5 + unseen[kind] / 6)
            if is_flush:
                chance *= _FLUSH if kind // RANKS in suits else 1 / _FLUSH
        chance *= _THROWN if kind in thrown else 1
        likely.append(chance * (_RECENT if kind in recent else 1))
    return likely


def _suits(seat: SeatView) -> set[int]:
    """The suits of the open melds."""
    kinds = {kind_of(meld.tiles[0]) for meld in seat.melds if meld.tiles}
    return {kind // RANKS for kind in kinds} - {SUITS}
