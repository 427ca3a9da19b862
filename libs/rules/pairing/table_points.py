"""Tournament points (TP) of one table.

Places go by who cleared the board, then by round score; equal results share a place (1, 2, 2, 4). Each place
has its TP; ties share the TP of the places they occupy, rounded down; then the round's multiplier applies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SEATS_MIN: Final = 2
SEATS_MAX: Final = 4
MULTIPLIER_MIN: Final = 1
MULTIPLIER_MAX: Final = 6

TP_BY_PLACE_CLEARED: Final[Mapping[int, tuple[int, ...]]] = {4: (40, 20, 10, 0), 3: (30, 15, 0), 2: (20, 0)}
"""By the number of seats: the first place cleared its board."""
TP_BY_PLACE: Final[Mapping[int, tuple[int, ...]]] = {4: (30, 20, 10, 0), 3: (20, 15, 0), 2: (10, 0)}
"""By the number of seats: nobody cleared."""


class Refusal(StrEnum):
    """Why a table has no points."""

    SEATS = "seats"
    PLAYER_TWICE = "player_twice"
    NEGATIVE_SCORE = "negative_score"
    CLEARED_TWICE = "cleared_twice"
    MULTIPLIER = "multiplier"


@dataclass(frozen=True)
class SeatResult:
    """How one seat ended a round."""

    player: str
    cleared: bool
    score: int


@dataclass(frozen=True)
class SeatPoints:
    """What one seat gets."""

    player: str
    place: int
    points: int


def table_points(results: Sequence[SeatResult], multiplier: int) -> tuple[SeatPoints, ...] | Refusal:
    """Return place and TP of every seat, in the order of places and ties as given, or the first refusal."""
    if (refusal := _find_refusal(results, multiplier)) is not None:
        return refusal
    ranked = sorted(results, key=_standing, reverse=True)
    scale = (TP_BY_PLACE_CLEARED if ranked[0].cleared else TP_BY_PLACE)[len(ranked)]
    if all(seat.score == 0 for seat in ranked):
        scale = (0,) * len(ranked)
    standings = [_standing(seat) for seat in ranked]
    points = []
    for seat, standing in zip(ranked, standings, strict=True):
        first, tied = standings.index(standing), standings.count(standing)
        share = sum(scale[first : first + tied]) // tied
        points.append(SeatPoints(seat.player, first + 1, share * multiplier))
    return tuple(points)


def _standing(seat: SeatResult) -> tuple[bool, int]:
    return seat.cleared, seat.score


def _find_refusal(results: Sequence[SeatResult], multiplier: int) -> Refusal | None:
    if not SEATS_MIN <= len(results) <= SEATS_MAX:
        return Refusal.SEATS
    if len({seat.player for seat in results}) < len(results):
        return Refusal.PLAYER_TWICE
    if any(seat.score < 0 for seat in results):
        return Refusal.NEGATIVE_SCORE
    if sum(seat.cleared for seat in results) > 1:
        return Refusal.CLEARED_TWICE
    if not MULTIPLIER_MIN <= multiplier <= MULTIPLIER_MAX:
        return Refusal.MULTIPLIER
    return None
