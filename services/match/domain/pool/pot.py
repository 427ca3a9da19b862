"""Who gets what of the pot: always all of it, in whole chips."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from services.match.domain.pool.state import Dealt, Seat
from services.match.domain.pool.terms import PoolEnding, SeatEnding, SeatResult, Stake

MOVERS_MIN: Final = 2
"""A match in which fewer made a move is void."""


def ending_of(state: Dealt) -> PoolEnding:
    """What a game comes to whose seats are all done."""
    if state.terms.is_training:
        return PoolEnding.PLAYED
    if sum(seat.stake is Stake.PAID for seat in state.seats) < MOVERS_MIN:
        return PoolEnding.VOID_STAKES
    movers = sum(seat.plays and seat.has_moved for seat in state.seats)
    return PoolEnding.PLAYED if movers >= MOVERS_MIN else PoolEnding.VOID_MOVES


def payouts(state: Dealt, ending: PoolEnding) -> tuple[int, ...]:
    """Chips by seat; together what was paid in.

    The highest score takes the pot. Equal highest scores share it in whole chips; what is left over goes to
    the one whose own game ended first, then by seat. A void match returns the stakes.
    """
    stake = state.terms.stake
    if ending is not PoolEnding.PLAYED or state.terms.is_training:
        return tuple(stake if seat.stake is Stake.PAID else 0 for seat in state.seats)
    playing = [at for at, seat in enumerate(state.seats) if seat.plays]
    best = max(state.seats[at].score for at in playing)
    winners = [at for at in playing if state.seats[at].score == best]
    share, rest = divmod(state.pot, len(winners))
    first = min(winners, key=lambda at: (_ended_at(state.seats[at]), at))
    return tuple(
        (share if at in winners else 0) + (rest if at == first else 0) for at in range(len(state.seats))
    )


def results(state: Dealt, ending: PoolEnding) -> tuple[SeatResult, ...]:
    """How every seat stands at the end; all of them have ended."""
    scores = [seat.score for seat in state.seats if seat.plays]
    return tuple(
        SeatResult(
            place=1 + sum(score > seat.score for score in scores) if seat.plays else 0,
            score=seat.score,
            ending=seat.ending or SeatEnding.NOT_PLAYED,
            ended_at=_ended_at(seat) if seat.ended_at is not None else state.last_at,
            pairs_left=seat.board.pairs_left,
            payout=payout,
        )
        for seat, payout in zip(state.seats, payouts(state, ending), strict=True)
    )


def _ended_at(seat: Seat) -> datetime:
    assert seat.ended_at is not None, "the pot is shared when all seats have ended"
    return seat.ended_at
