"""A round of a quick match, an arena or a tournament as spectators see it."""

from __future__ import annotations

from services.match.domain.rivals.sequence import goes_on
from services.match.domain.rivals.state import Countdown, Dealt, Over, Player, Playing
from services.match.domain.rivals.terms import OutReason
from services.match.domain.spectating.modes import WatchedMode
from services.match.domain.spectating.seen import (
    BoardSeen,
    MatchSeen,
    Phase,
    SeatSeen,
    face_down,
    faces_of,
)


def round_seen(state: Dealt) -> MatchSeen:
    """The match in this round, every seat with the faces that it knows."""
    played = state.round
    deal, stage = played.deal, played.stage
    return MatchSeen(
        mode=WatchedMode(stage.mode),
        phase=_phase(state),
        signal_at=state.signal_at if isinstance(state, Countdown) else state.since,
        ended_at=state.ended.occurred_at if isinstance(state, Over) and not goes_on(state) else None,
        limit=stage.limit,
        commitments=(deal.commitment,),
        layouts=((deal.layout, deal.layout_title),),
        seats=_seats(state),
        round_number=stage.number if stage.is_of_several else 0,
        round_count=stage.rounds if stage.is_of_several else 0,
    )


def _phase(state: Dealt) -> Phase:
    match state:
        case Countdown():
            return Phase.COUNTDOWN if state.round.stage.number == 1 else Phase.BREAK
        case Playing():
            return Phase.RUNNING
        case Over():
            return Phase.BREAK if goes_on(state) else Phase.OVER


def _seats(state: Dealt) -> tuple[SeatSeen, ...]:
    if not isinstance(state, Countdown):
        return tuple(_seat(player) for player in state.players)
    board = face_down(state.round.deal.layout, 0)
    return tuple(
        SeatSeen(account_id, board, out=OutReason.LEFT if seat in state.left else None)
        for seat, account_id in enumerate(state.round.accounts)
    )


def _seat(player: Player) -> SeatSeen:
    seat, position = player.board, player.board.position
    board = BoardSeen(
        layout=0,
        present=position.present,
        faces=faces_of(position.faces, seat.known & position.present),
        lifted=seat.lifted,
        free=position.free(seat.lifted),
        pair_available=position.pair_available,
    )
    return SeatSeen(
        player.account_id, board, score=player.score, out=player.out, jokers_used=player.jokers_used
    )
