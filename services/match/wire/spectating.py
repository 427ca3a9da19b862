"""Matches on the wire as spectators see them: the one place where something leaves for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from libs.pb.sparrow.match.v1 import match_pb2, pool_pb2, race_pb2
from libs.pb.sparrow.match.v1 import spectate_pb2 as pb
from libs.rules.solitaire.bitset import bits
from libs.runtime.names import match_name, player_name
from services.match.domain.pool import state as pool
from services.match.domain.race import state as race
from services.match.domain.rivals import state as rivals
from services.match.domain.spectating.modes import WatchedMode
from services.match.domain.spectating.pools import pool_seen
from services.match.domain.spectating.races import race_seen
from services.match.domain.spectating.rounds import round_seen
from services.match.domain.spectating.seen import BoardSeen, MatchSeen, Phase, SeatSeen
from services.match.wire.boards import timestamp
from services.match.wire.layouts import layout_to_wire
from services.match.wire.pool_codec import SEAT_ENDINGS
from services.match.wire.pool_games import result_message
from services.match.wire.race_settings import CPU_LEVELS
from services.match.wire.race_views import tell_end
from services.match.wire.round_codec import OUT_REASONS
from services.match.wire.rounds import earlier_round, round_result, standing_messages

SpectatedMatch: TypeAlias = pb.SpectatedMatch
SpectatedUpdate: TypeAlias = pb.SpectatedUpdate
MODES: Final = {
    WatchedMode.QUICK_MATCH: pb.SPECTATE_MODE_QUICK_MATCH,
    WatchedMode.ARENA: pb.SPECTATE_MODE_ARENA,
    WatchedMode.RACE: pb.SPECTATE_MODE_RACE,
    WatchedMode.POOL: pb.SPECTATE_MODE_POOL,
    WatchedMode.TOURNAMENT: pb.SPECTATE_MODE_TOURNAMENT,
}
_STATES: Final = {
    Phase.COUNTDOWN: pb.SPECTATE_STATE_COUNTDOWN,
    Phase.RUNNING: pb.SPECTATE_STATE_RUNNING,
    Phase.BREAK: pb.SPECTATE_STATE_BREAK,
    Phase.OVER: pb.SPECTATE_STATE_OVER,
}
Seats = Collection[int] | None
"""Which seats are told, and no layouts; None: all of them, with the layouts."""


def round_message(state: rivals.Dealt, seats: Seats = None) -> pb.SpectatedMatch:
    """A quick match, an arena in one of its rounds, or a table of a tournament."""
    message = _match_message(state.round.match_id, round_seen(state), seats)
    if state.round.stage.is_of_several:
        earlier = () if seats is not None else state.round.stage.earlier
        message.earlier_rounds.extend(earlier_round(state.round.accounts, each) for each in earlier)
        if seats is None or isinstance(state, rivals.Over):
            message.standings.extend(standing_messages(state))
    if isinstance(state, rivals.Over):
        message.round_result.CopyFrom(round_result(state))
    return message


def race_message(state: race.Dealt, seats: Seats = None) -> pb.SpectatedMatch:
    """A race."""
    message = _match_message(state.race.race_id, race_seen(state), seats)
    if isinstance(state, race.Over):
        told = race_pb2.Race()
        tell_end(told, state)
        message.race_result.CopyFrom(
            pb.SpectatedRaceResult(ending=told.ending, results=told.results, reveals=told.reveals)
        )
    return message


def pool_message(match_id: UUID, state: pool.Dealt, seats: Seats = None) -> pb.SpectatedMatch:
    """A match of the pool."""
    message = _match_message(match_id, pool_seen(state), seats)
    result = result_message(state)
    if result is not None:
        message.pool_result.CopyFrom(result)
    return message


def _match_message(match_id: UUID, seen: MatchSeen, seats: Seats) -> pb.SpectatedMatch:
    return pb.SpectatedMatch(
        name=match_name(match_id),
        mode=MODES[seen.mode],
        state=_STATES[seen.phase],
        start_time=None if seen.signal_at is None else timestamp(seen.signal_at),
        end_time=None if seen.ended_at is None else timestamp(seen.ended_at),
        limit_ms=round(seen.limit.total_seconds() * 1_000),
        commitments=seen.commitments if seats is None else (),
        layouts=[layout_to_wire(*each) for each in seen.layouts] if seats is None else (),
        seats=_seats(seen.seats, seats),
        places=seen.places,
        round_number=seen.round_number,
        round_count=seen.round_count,
        stake=seen.stake,
        pot=seen.pot,
    )


def _seats(seen: Sequence[SeatSeen], told: Seats) -> list[pb.SpectatedSeat]:
    return [_seat(number, seat) for number, seat in enumerate(seen) if told is None or number in told]


def _seat(number: int, seen: SeatSeen) -> pb.SpectatedSeat:
    return pb.SpectatedSeat(
        seat=number,
        player="" if seen.account_id is None else player_name(seen.account_id),
        cpu=race_pb2.CPU_LEVEL_UNSPECIFIED if seen.cpu is None else CPU_LEVELS[seen.cpu],
        board=_board(seen.board),
        score=seen.score,
        out=match_pb2.OUT_REASON_UNSPECIFIED if seen.out is None else OUT_REASONS[seen.out],
        pool_ending=pool_pb2.POOL_SEAT_ENDING_UNSPECIFIED
        if seen.ending is None
        else SEAT_ENDINGS[seen.ending],
        finished_ms=seen.finished_ms,
        gave_up=seen.gave_up,
        away=seen.away,
        jokers_used=seen.jokers_used,
        undos_used=seen.undos_used,
        shuffles_used=seen.shuffles_used,
        hints_used=seen.hints_used,
    )


def _board(seen: BoardSeen) -> pb.SpectatedBoard:
    return pb.SpectatedBoard(
        layout=seen.layout,
        present=bits(seen.present),
        faces=[match_pb2.VisibleFace(tile=tile, face=face) for tile, face in seen.faces.items()],
        lifted=seen.lifted,
        free_tiles=bits(seen.free),
        pair_available=seen.pair_available,
    )
