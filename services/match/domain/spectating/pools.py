"""A match of the pool as spectators see it."""

from __future__ import annotations

from services.match.domain.pool.state import Dealt, Seat
from services.match.domain.pool.terms import Phase as PoolPhase
from services.match.domain.spectating.modes import WatchedMode
from services.match.domain.spectating.seen import (
    BoardSeen,
    MatchSeen,
    Phase,
    SeatSeen,
    face_down,
    faces_of,
)

_PHASES = {
    PoolPhase.STAKING: Phase.COUNTDOWN,
    PoolPhase.COUNTDOWN: Phase.COUNTDOWN,
    PoolPhase.RUNNING: Phase.RUNNING,
    PoolPhase.OVER: Phase.OVER,
}
_FACE_DOWN = {PoolPhase.STAKING, PoolPhase.COUNTDOWN}


def pool_seen(state: Dealt) -> MatchSeen:
    """The match, every seat that plays with the faces that are uncovered on its board."""
    assert not state.terms.is_training, "whoever trains is alone"
    deal = state.deal
    return MatchSeen(
        mode=WatchedMode.POOL,
        phase=_PHASES[state.phase],
        signal_at=None if state.phase is PoolPhase.STAKING else state.signal_at,
        ended_at=None if state.ended is None else state.ended.occurred_at,
        limit=state.terms.limit,
        commitments=(deal.commitment,),
        layouts=((deal.layout, deal.layout_title),),
        seats=tuple(_seat(state, seat) for seat in state.seats),
        stake=state.terms.stake,
        pot=state.pot,
    )


def _seat(state: Dealt, seat: Seat) -> SeatSeen:
    board = seat.board
    is_hidden = state.phase in _FACE_DOWN or not seat.plays
    seen = BoardSeen(
        layout=0,
        present=board.present,
        faces=faces_of(board.faces, board.uncovered),
        lifted=None,
        free=board.free,
        pair_available=board.pair_available,
    )
    return SeatSeen(
        seat.account_id,
        face_down(board.layout, 0) if is_hidden else seen,
        score=seat.score,
        ending=seat.ending,
        undos_used=seat.undos,
        shuffles_used=seat.shuffles,
        hints_used=seat.hints,
    )
