"""A race as spectators see it."""

from __future__ import annotations

from services.match.domain.race.clocks import signal_at
from services.match.domain.race.placing import live_places
from services.match.domain.race.state import Countdown, Dealt, Over, Racer
from services.match.domain.spectating.modes import WatchedMode
from services.match.domain.spectating.seen import (
    BoardSeen,
    MatchSeen,
    Phase,
    SeatSeen,
    face_down,
    faces_of,
)


def race_seen(state: Dealt) -> MatchSeen:
    """The race, every seat with the faces that are uncovered on its board."""
    race = state.race
    phases = {Countdown: Phase.COUNTDOWN, Over: Phase.OVER}
    return MatchSeen(
        mode=WatchedMode.RACE,
        phase=phases.get(type(state), Phase.RUNNING),
        signal_at=signal_at(state) if isinstance(state, Countdown) else state.since,
        ended_at=state.ended.occurred_at if isinstance(state, Over) else None,
        limit=race.settings.time_limit,
        commitments=tuple(deal.commitment for deal in race.dealt.deals),
        layouts=tuple((deal.layout, deal.layout_title) for deal in race.dealt.deals),
        seats=_seats(state),
        places=() if isinstance(state, Countdown) else live_places(state.racers),
    )


def _seats(state: Dealt) -> tuple[SeatSeen, ...]:
    if not isinstance(state, Countdown):
        return tuple(_seat(racer) for racer in state.racers)
    race = state.race
    return tuple(
        SeatSeen(
            seat.account_id,
            face_down(race.deal_of(number).layout, seat.deal),
            cpu=seat.cpu,
            away=number in state.away,
        )
        for number, seat in enumerate(race.seats)
    )


def _seat(racer: Racer) -> SeatSeen:
    board = racer.board
    return SeatSeen(
        racer.seat.account_id,
        BoardSeen(
            layout=racer.seat.deal,
            present=board.present,
            faces=faces_of(board.faces, board.uncovered),
            lifted=None,
            free=board.free,
            pair_available=board.pair_available,
        ),
        cpu=racer.seat.cpu,
        finished_ms=racer.finished_ms,
        gave_up=racer.gave_up,
        away=racer.away_since is not None,
        shuffles_used=racer.shuffles_used,
        hints_used=racer.hints_used,
    )
