"""Matches of several seats in lists: without boards, from rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.runtime.names import match_name, player_name
from services.match.domain.listing import ListedMatch, ListedSeat
from services.match.domain.rivals.clocks import COUNTDOWN, LIMIT, MILLISECOND
from services.match.domain.rivals.placing import places
from services.match.domain.rivals.stage import ARENA
from services.match.wire.boards import timestamp
from services.match.wire.round_codec import END_REASONS
from services.match.wire.rounds import MODES, seat_result, table_message


def listed_round(row: ListedMatch, account_id: UUID, at: datetime) -> pb.Match:
    """A match of several seats, for the seat of an account. Of several rounds the standings are told."""
    accounts = tuple(seat.account_id for seat in row.seats)
    account, is_one_round = accounts.index(account_id), row.mode != ARENA
    started, over = row.created_at + COUNTDOWN, row.ended_at is not None
    limit = LIMIT if row.tournament is None else row.tournament.round_limit
    until = row.ended_at if row.ended_at is not None else at
    running = pb.MATCH_STATE_RUNNING if at >= started else pb.MATCH_STATE_COUNTDOWN
    message = pb.Match(
        name=match_name(row.match_id),
        mode=MODES[row.mode],
        state=pb.MATCH_STATE_OVER if over else running,
        player=player_name(accounts[account]),
        start_time=timestamp(started),
        end_time=timestamp(row.ended_at) if row.ended_at is not None else None,
        limit_ms=limit // MILLISECOND,
        opponents=[_progress(seat) for number, seat in enumerate(row.seats) if number != account],
        tournament_table=table_message(row.tournament),
    )
    if not is_one_round:
        message.standings.extend(_standings(row))
        return message
    message.elapsed_ms = max(0, min(limit, until - started) // MILLISECOND)
    ends = [seat.end for seat in row.seats if seat.end is not None]
    if row.ending is not None:
        points = [seat.points for seat in row.seats]
        message.round_result.CopyFrom(
            pb.RoundResult(
                ending=END_REASONS[row.ending],
                seats=[seat_result(*each) for each in zip(accounts, ends, points, strict=True)],
            )
        )
    return message


def _progress(seat: ListedSeat) -> pb.SeatProgress:
    score = 0 if seat.end is None else seat.end.round_score
    return pb.SeatProgress(
        player=player_name(seat.account_id),
        tiles_left=0 if seat.end is None else seat.end.tiles_left,
        round_score=seat.round_scores[-1] if seat.round_scores else score,
    )


def _standings(row: ListedMatch) -> Iterator[pb.SeatStanding]:
    """By seat, once a round is over. Who has left is told with the match itself."""
    scores = [sum(seat.round_scores) for seat in row.seats]
    for seat, place, score in zip(row.seats, places(scores), scores, strict=True):
        if seat.round_scores:
            yield pb.SeatStanding(
                player=player_name(seat.account_id),
                place=place,
                score=score,
                round_scores=seat.round_scores,
                points=seat.points,
            )
