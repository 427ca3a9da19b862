"""Rounds on the wire: what one seat may see. Nothing here reads another seat's board but its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, TypeGuard
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.runtime.names import layout_name, match_name, player_name, tournament_name
from services.match.domain.rematch_offers import after_round
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.clocks import MILLISECOND, clock_ms, idle_deadline
from services.match.domain.rivals.placing import quick_match_points
from services.match.domain.rivals.sequence import goes_on, standings
from services.match.domain.rivals.stage import ARENA, QUICK_MATCH, TOURNAMENT, PlayedRound, TournamentStage
from services.match.domain.rivals.state import Countdown, Dealt, Over, Player, Playing, Round, seat_of
from services.match.domain.rivals.terms import PairKind, Reveal, SeatEnd, reveal_of
from services.match.wire.boards import board_message, free_tiles, timestamp, visible
from services.match.wire.layouts import layout_to_wire
from services.match.wire.rematches import offer_message
from services.match.wire.round_codec import END_REASONS, OUT_REASONS, PAIR_KINDS, blockers

MODES: Final = {
    QUICK_MATCH: pb.MODE_QUICK_MATCH,
    ARENA: pb.MODE_ARENA,
    TOURNAMENT: pb.MODE_TOURNAMENT,
}
_OWN_MOVES: Final = (
    ev.SeatLiftedTile,
    ev.SeatPutTileBack,
    ev.SeatTouchedNotSame,
    ev.SeatTouchedBlocked,
    ev.SeatRemovedPair,
    ev.JokerUsed,
)


def round_message(state: Dealt, seat: int, at: datetime) -> pb.Match:
    """The match with the seat's own board; the clock is read at `at`."""
    played = state.round
    message = pb.Match(
        name=match_name(played.match_id),
        mode=MODES[played.stage.mode],
        state=_state(state),
        player=player_name(played.accounts[seat]),
        catalogue_version=played.deal.catalogue_version,
        start_time=_signal_time(state),
        end_time=timestamp(state.ended.occurred_at) if _is_end(state) else None,
        elapsed_ms=clock_ms(state, at),
        limit_ms=played.stage.limit // MILLISECOND,
        commitment=played.deal.commitment,
        opponents=_opponents(state, seat),
        tournament_table=table_message(played.stage.tournament),
    )
    if played.stage.is_of_several:
        message.round_number, message.round_count = played.stage.number, played.stage.rounds
        message.earlier_rounds.extend(earlier_round(played.accounts, each) for each in played.stage.earlier)
        message.standings.extend(standing_messages(state))
    if isinstance(state, Countdown):
        message.board.CopyFrom(_face_down(played, seat))
        if seat in state.left:
            message.own_round.out = pb.OUT_REASON_LEFT
        return message
    player = state.players[seat]
    message.board.CopyFrom(board_message(player.board, played.deal.layout_title))
    message.own_round.CopyFrom(_own(player))
    if isinstance(state, Over):
        message.round_result.CopyFrom(round_result(state))
        _tell_offer(message, state)
    return message


def round_update(events: Sequence[ev.Event], state: Dealt, seat: int) -> pb.MatchUpdate | None:
    """What the events of one command changed for a seat; None when nothing that it may see has changed.

    `state` is the state right after them.
    """
    if not any(_concerns(event, seat) for event in events):
        return None
    stage = state.round.stage
    message = pb.MatchUpdate(time=timestamp(events[-1].occurred_at), state=_state(state))
    message.round_number = stage.number if stage.is_of_several else 0
    message.opponents.extend(_opponents(state, seat))
    if any(isinstance(event, ev.RoundStarted | ev.ClockPaused) for event in events):
        message.start_time.CopyFrom(_signal_time(state))
    if isinstance(state, Countdown):
        message.board_version, message.pair_available = stage.board_version(seat), True
        message.tiles_left = state.round.deal.layout.size
        if seat in state.left:
            message.own_round.out = pb.OUT_REASON_LEFT
        return message
    player = state.players[seat]
    _tell_board(message, player)
    for event in events:
        if isinstance(event, ev.RoundStarted) or (isinstance(event, _OWN_MOVES) and event.seat == seat):
            board = player.board
            message.uncovered.extend(visible(board, board.fresh & board.position.present))
        if isinstance(event, _OWN_MOVES) and event.seat == seat:
            message.time.CopyFrom(timestamp(event.occurred_at))
            _tell_move(message, event)
    if isinstance(state, Over) and any(isinstance(event, ev.RoundEnded) for event in events):
        message.round_result.CopyFrom(round_result(state))
        _tell_offer(message, state)
        message.standings.extend(standing_messages(state) if stage.is_of_several else ())
    return message


def own_round(state: Dealt, account_id: UUID, at: datetime) -> pb.Match:
    """The match as the seat of an account sees it."""
    return round_message(state, _seat(state, account_id), at)


def own_update(events: Sequence[ev.Event], state: Dealt, account_id: UUID) -> pb.MatchUpdate:
    """What an account's own command changed, as its seat sees it."""
    update = round_update(events, state, _seat(state, account_id))
    assert update is not None, "one's own command is seen"
    return update


def _seat(state: Dealt, account_id: UUID) -> int:
    seat = seat_of(state, account_id)
    assert seat is not None, "whoever is answered has a seat"
    return seat


def _concerns(event: ev.Event, seat: int) -> bool:
    """Whether a seat sees anything of the event: others' moves only where their progress changes."""
    match event:
        case (
            ev.SeatLiftedTile(seat=mover) | ev.SeatPutTileBack(seat=mover) | ev.SeatTouchedNotSame(seat=mover)
        ):
            return mover == seat
        case ev.JokerRequested(seat=mover) | ev.JokerGivenUp(seat=mover):
            return mover == seat
        case _:
            return True


def _state(state: Dealt) -> pb.MatchState.ValueType:
    match state:
        case Countdown():
            return pb.MATCH_STATE_COUNTDOWN if state.round.stage.number == 1 else pb.MATCH_STATE_BREAK
        case Playing():
            return pb.MATCH_STATE_RUNNING
        case Over():
            return pb.MATCH_STATE_BREAK if goes_on(state) else pb.MATCH_STATE_OVER


def _is_end(state: Dealt) -> TypeGuard[Over]:
    """Whether the match is over, not only a round of it."""
    return isinstance(state, Over) and not goes_on(state)


def _signal_time(state: Dealt) -> Timestamp:
    """Where the clock counts from, or will."""
    return timestamp(state.signal_at if isinstance(state, Countdown) else state.since)


def _face_down(played: Round, seat: int) -> pb.Board:
    """The board in the countdown: where tiles lie, and no face. A fresh deal always has a pair."""
    deal = played.deal
    return pb.Board(
        layout=layout_to_wire(deal.layout, deal.layout_title),
        present=bits(deal.layout.full),
        pair_available=True,
        board_version=played.stage.board_version(seat),
    )


def _opponents(state: Dealt, seat: int) -> list[pb.SeatProgress]:
    if isinstance(state, Countdown):
        accounts, size = state.round.accounts, state.round.deal.layout.size
        return [
            pb.SeatProgress(
                player=player_name(account_id),
                tiles_left=size,
                out=pb.OUT_REASON_LEFT if number in state.left else pb.OUT_REASON_UNSPECIFIED,
            )
            for number, account_id in enumerate(accounts)
            if number != seat
        ]
    return [
        pb.SeatProgress(
            player=player_name(player.account_id),
            tiles_left=player.board.position.tiles_left,
            round_score=player.score,
            out=OUT_REASONS[player.out] if player.out is not None else pb.OUT_REASON_UNSPECIFIED,
        )
        for number, player in enumerate(state.players)
        if number != seat
    ]


def table_message(laid_down: TournamentStage | None) -> pb.TournamentTable | None:
    """Which tournament a match is played for; None where it is for none."""
    if laid_down is None:
        return None
    return pb.TournamentTable(
        tournament=tournament_name(laid_down.tournament_id),
        round_number=laid_down.round_number,
        cut_time=timestamp(laid_down.ends_at),
    )


def _tell_offer(message: pb.Match | pb.MatchUpdate, over: Over) -> None:
    offer = offer_message(after_round(over))
    if offer is not None:
        message.rematch_offer.CopyFrom(offer)


def _own(player: Player) -> pb.OwnRound:
    deadline = idle_deadline(player)
    return pb.OwnRound(
        round_score=player.score,
        out=OUT_REASONS[player.out] if player.out is not None else pb.OUT_REASON_UNSPECIFIED,
        record_ms=player.record_ms,
        idle_deadline=timestamp(deadline) if deadline is not None else None,
        pace_start_time=timestamp(player.pace_since),
        jokers_used=player.jokers_used,
        joker_pending=player.pending is not None,
    )


def _tell_board(message: pb.MatchUpdate, player: Player) -> None:
    board = player.board
    if board.lifted is not None:
        message.lifted = board.lifted
    message.free_tiles.extend(free_tiles(board))
    message.pair_available = board.position.pair_available
    message.board_version = board.board_version
    message.tiles_left = board.position.tiles_left
    message.own_round.CopyFrom(_own(player))


def _tell_move(message: pb.MatchUpdate, event: ev.Move | ev.JokerUsed) -> None:
    match event:
        case ev.SeatLiftedTile(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_LIFTED, tile
        case ev.SeatPutTileBack(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_PUT_BACK, tile
        case ev.SeatTouchedNotSame(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_NOT_SAME, tile
        case ev.SeatTouchedBlocked(tile=tile, why=why):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_BLOCKED, tile
            message.blockers.CopyFrom(blockers(why))
        case ev.SeatRemovedPair(first=first, second=second, kind=kind, worth=worth):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_PAIRED, second
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=first, second=second))
            message.pair_kind, message.worth = PAIR_KINDS[kind], worth
        case ev.JokerUsed(first=first, second=second, worth=worth):
            message.outcome = pb.TOUCH_OUTCOME_JOKER
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=first, second=second))
            message.pair_kind, message.worth = PAIR_KINDS[PairKind.JOKER], worth


def round_result(over: Over) -> pb.RoundResult:
    """How a round ended. Only a quick match is paid by its round: of several, see the standings."""
    played, ended = over.round, over.ended
    is_paid = played.stage.mode == QUICK_MATCH and not played.stage.private
    points = quick_match_points(ended.seats) if is_paid else (0,) * len(ended.seats)
    return pb.RoundResult(
        ending=END_REASONS[ended.reason],
        seats=[seat_result(*each) for each in zip(played.accounts, ended.seats, points, strict=True)],
        reveal=_reveal(reveal_of(played.deal)),
    )


def earlier_round(accounts: Sequence[UUID], played: PlayedRound) -> pb.RoundResult:
    """How a round before this one ended."""
    return pb.RoundResult(
        ending=END_REASONS[played.reason],
        seats=[seat_result(*each, 0) for each in zip(accounts, played.seats, strict=True)],
        reveal=_reveal(played.reveal),
    )


def _reveal(reveal: Reveal) -> pb.Reveal:
    return pb.Reveal(
        seed=reveal.seed,
        nonce=reveal.nonce,
        catalogue_version=reveal.catalogue_version,
        layout=layout_name(reveal.layout_name),
        distinct_faces=reveal.distinct_faces,
    )


def standing_messages(state: Dealt) -> Iterator[pb.SeatStanding]:
    """By seat; nothing before the first round is over."""
    for seat in standings(state):
        if seat.round_scores:
            yield pb.SeatStanding(
                player=player_name(seat.account_id),
                place=seat.place,
                score=seat.score,
                round_scores=seat.round_scores,
                left=seat.left,
                points=seat.points,
            )


def seat_result(account_id: UUID, end: SeatEnd, points: int) -> pb.SeatResult:
    """How a seat ended a round."""
    return pb.SeatResult(
        player=player_name(account_id),
        place=end.place,
        round_score=end.round_score,
        cleared=end.cleared,
        points=points,
    )
