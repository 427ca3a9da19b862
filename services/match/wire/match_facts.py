"""Facts of matches as messages: who plays, what a tournament lays down for its tables, how it ended."""

from __future__ import annotations

from datetime import UTC
from uuid import UUID

from google.protobuf.duration_pb2 import Duration

from libs.pb.sparrow.match.v1 import match_event_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2
from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchCreated,
    QuickMatchEnded,
    TournamentMatchEnded,
)
from services.match.domain.rivals.stage import TournamentStage
from services.match.wire.boards import timestamp


def stage_message(laid_down: TournamentStage | None) -> match_pb2.TournamentStage | None:
    """What is stored of it; None outside of tournaments."""
    if laid_down is None:
        return None
    limit = Duration()
    limit.FromTimedelta(laid_down.round_limit)
    return match_pb2.TournamentStage(
        tournament_id=str(laid_down.tournament_id),
        round_number=laid_down.round_number,
        round_limit=limit,
        end_time=timestamp(laid_down.ends_at),
    )


def stage_of(message: match_pb2.TournamentStage) -> TournamentStage:
    """What was stored."""
    return TournamentStage(
        UUID(message.tournament_id),
        message.round_number,
        message.round_limit.ToTimedelta(),
        message.end_time.ToDatetime(UTC),
    )


def tournament_match_message(event: TournamentMatchEnded) -> pb.TournamentMatchEnded:
    """How a table ended."""
    seats = [
        pb.TournamentMatchEnded.Seat(
            account_id=str(account_id),
            place=end.place,
            round_score=end.round_score,
            cleared=end.cleared,
            acted=acted,
        )
        for account_id, end, acted in zip(event.accounts, event.ends, event.acted, strict=True)
    ]
    return pb.TournamentMatchEnded(
        match_id=str(event.match_id),
        tournament_id=str(event.tournament_id),
        round_number=event.round_number,
        seats=seats,
        cut=event.cut,
    )


def created_message(event: MatchCreated) -> pb.MatchCreated:
    """Who plays."""
    return pb.MatchCreated(
        mode=event.mode,
        account_ids=map(str, event.accounts),
        round_id=str(event.round_id),
        private=event.private,
        tournament=stage_message(event.tournament),
    )


def quick_match_message(event: QuickMatchEnded) -> pb.QuickMatchEnded:
    """How a quick match ended."""
    seats = [
        pb.QuickMatchEnded.Seat(
            account_id=str(account_id),
            place=end.place,
            round_score=end.round_score,
            cleared=end.cleared,
            points=points,
        )
        for account_id, end, points in zip(event.accounts, event.ends, event.points, strict=True)
    ]
    return pb.QuickMatchEnded(match_id=str(event.match_id), seats=seats)


def arena_message(event: ArenaEnded) -> pb.ArenaEnded:
    """How an arena ended."""
    by_seat = zip(event.accounts, event.places, event.scores, event.round_scores, event.points, strict=True)
    seats = [
        pb.ArenaEnded.Seat(
            account_id=str(account_id), place=place, score=score, round_scores=round_scores, points=points
        )
        for account_id, place, score, round_scores, points in by_seat
    ]
    return pb.ArenaEnded(match_id=str(event.match_id), seats=seats)
