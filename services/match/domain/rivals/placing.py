"""Who comes where, and what a quick match pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.match.domain.rivals.state import Player
from services.match.domain.rivals.terms import SeatEnd

WON_BY_CLEARING_POINTS: Final = 20
WON_POINTS: Final = 15
ARENA_PRIZES: Final = (80, 40, 20, 0)


def placed(players: Sequence[Player]) -> tuple[SeatEnd, ...]:
    """Places: whoever cleared the board comes first, then by round score; equal scores are a tie."""
    ranks = [(player.cleared, player.score) for player in players]
    return tuple(
        SeatEnd(
            place=1 + sum(other > rank for other in ranks),
            round_score=player.score,
            cleared=player.cleared,
            tiles_left=player.board.position.tiles_left,
        )
        for player, rank in zip(players, ranks, strict=True)
    )


def quick_match_points(seats: Sequence[SeatEnd]) -> tuple[int, ...]:
    """Account points by seat: only a sole winner gets any, and nobody where every score is 0."""
    if not any(seat.round_score for seat in seats) or sum(seat.place == 1 for seat in seats) > 1:
        return (0,) * len(seats)
    return tuple(
        0 if seat.place > 1 else WON_BY_CLEARING_POINTS if seat.cleared else WON_POINTS for seat in seats
    )


def places(scores: Sequence[int]) -> tuple[int, ...]:
    """Places from 1 by score; equal scores share one."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def shared_prizes(scores: Sequence[int], prizes: Sequence[int]) -> tuple[int, ...]:
    """Prizes by place; equal scores share those of the places they occupy, equally, rounded down."""
    assert len(scores) == len(prizes), "a prize for every place, be it 0"
    taken = places(scores)
    found = []
    for place in taken:
        sharing = taken.count(place)
        found.append(sum(prizes[place - 1 : place - 1 + sharing]) // sharing)
    return tuple(found)
