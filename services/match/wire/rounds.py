"""Rounds on the wire: what one seat may see. Nothing here reads another seat's board but its size."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.runtime.names import layout_name, match_name, player_name
from services.match.domain.listing import ListedMatch
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.clocks import (
    COUNTDOWN,
    LIMIT,
    MILLISECOND,
    clock_ms,
    idle_deadline,
)
from services.match.domain.rivals.match_events import quick_match_ended
from services.match.domain.rivals.state import Countdown, Dealt, Over, Player, Playing, Round, seat_of
from services.match.domain.rivals.terms import EndReason, PairKind, SeatEnd
from services.match.wire.boards import board_message, free_tiles, timestamp, visible
from services.match.wire.layouts import layout_to_wire
from services.match.wire.round_codec import END_REASONS, OUT_REASONS, PAIR_KINDS, blockers

LIMIT_MS: Final = LIMIT // MILLISECOND
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
        mode=pb.MODE_QUICK_MATCH,
        state=_state(state),
        player=player_name(played.accounts[seat]),
        catalogue_version=played.deal.catalogue_version,
        start_time=timestamp(state.since + COUNTDOWN if isinstance(state, Countdown) else state.since),
        end_time=timestamp(state.ended.occurred_at) if isinstance(state, Over) else None,
        elapsed_ms=clock_ms(state, at),
        limit_ms=LIMIT_MS,
        commitment=played.deal.commitment,
        opponents=_opponents(state, seat),
    )
    if isinstance(state, Countdown):
        message.board.CopyFrom(_face_down(played))
        return message
    player = state.players[seat]
    message.board.CopyFrom(board_message(player.board, played.deal.layout_title))
    message.own_round.CopyFrom(_own(player))
    if isinstance(state, Over):
        message.round_result.CopyFrom(_result(state))
    return message


def round_update(events: Sequence[ev.Event], state: Dealt, seat: int) -> pb.MatchUpdate | None:
    """What the events of one command changed for a seat; None when nothing that it may see has changed.

    `state` is the state right after them.
    """
    if not any(_concerns(event, seat) for event in events):
        return None
    message = pb.MatchUpdate(time=timestamp(events[-1].occurred_at), state=_state(state))
    message.opponents.extend(_opponents(state, seat))
    if any(isinstance(event, ev.RoundStarted | ev.ClockPaused) for event in events):
        since = state.since + COUNTDOWN if isinstance(state, Countdown) else state.since
        message.start_time.CopyFrom(timestamp(since))
    if isinstance(state, Countdown):
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
        message.round_result.CopyFrom(_result(state))
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


def listed_round(row: ListedMatch, account_id: UUID, at: datetime) -> pb.Match:
    """A match of several seats without boards, for the seat of an account."""
    accounts = tuple(seat.account_id for seat in row.seats)
    account = accounts.index(account_id)
    started, over = row.created_at + COUNTDOWN, row.ended_at is not None
    until = row.ended_at if row.ended_at is not None else at
    running = pb.MATCH_STATE_RUNNING if at >= started else pb.MATCH_STATE_COUNTDOWN
    message = pb.Match(
        name=match_name(row.match_id),
        mode=pb.MODE_QUICK_MATCH,
        state=pb.MATCH_STATE_OVER if over else running,
        player=player_name(accounts[account]),
        start_time=timestamp(started),
        end_time=timestamp(row.ended_at) if row.ended_at is not None else None,
        elapsed_ms=min(LIMIT_MS, max(0, (until - started) // MILLISECOND)),
        limit_ms=LIMIT_MS,
        opponents=[
            pb.SeatProgress(
                player=player_name(seat.account_id),
                tiles_left=seat.end.tiles_left if seat.end is not None else 0,
                round_score=seat.end.round_score if seat.end is not None else 0,
            )
            for number, seat in enumerate(row.seats)
            if number != account
        ],
    )
    ends = [seat.end for seat in row.seats if seat.end is not None]
    if row.ending is not None:
        points = [seat.points for seat in row.seats]
        message.round_result.CopyFrom(
            pb.RoundResult(
                ending=END_REASONS[row.ending],
                seats=[_seat_result(*each) for each in zip(accounts, ends, points, strict=True)],
            )
        )
    return message


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
            return pb.MATCH_STATE_COUNTDOWN
        case Playing():
            return pb.MATCH_STATE_RUNNING
        case Over():
            return pb.MATCH_STATE_OVER


def _face_down(played: Round) -> pb.Board:
    """The board in the countdown: where tiles lie, and no face. A fresh deal always has a pair."""
    deal = played.deal
    return pb.Board(
        layout=layout_to_wire(deal.layout, deal.layout_title),
        present=bits(deal.layout.full),
        pair_available=True,
    )


def _opponents(state: Dealt, seat: int) -> list[pb.SeatProgress]:
    if isinstance(state, Countdown):
        accounts, size = state.round.accounts, state.round.deal.layout.size
        return [
            pb.SeatProgress(player=player_name(account_id), tiles_left=size)
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


def _result(over: Over) -> pb.RoundResult:
    ended, deal = quick_match_ended(over.round, over.ended), over.round.deal
    reason: EndReason = over.ended.reason
    return pb.RoundResult(
        ending=END_REASONS[reason],
        seats=[_seat_result(*each) for each in zip(ended.accounts, ended.ends, ended.points, strict=True)],
        reveal=pb.Reveal(
            seed=deal.seed,
            nonce=deal.nonce,
            catalogue_version=deal.catalogue_version,
            layout=layout_name(deal.layout.name),
            distinct_faces=deal.distinct_faces,
        ),
    )


def _seat_result(account_id: UUID, end: SeatEnd, points: int) -> pb.SeatResult:
    return pb.SeatResult(
        player=player_name(account_id),
        place=end.place,
        round_score=end.round_score,
        cleared=end.cleared,
        points=points,
    )
