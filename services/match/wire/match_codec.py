"""Stored facts of match streams back to events: `round_codec.encoded` is the other direction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2 as pb
from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchCreated,
    MatchEvent,
    MatchRoundEnded,
    QuickMatchEnded,
    TournamentMatchEnded,
)
from services.match.domain.rivals.terms import SeatEnd
from services.match.wire.match_facts import stage_of
from services.match.wire.round_codec import TYPES, end_reason


def decode_match_fact(recorded: RecordedEvent) -> MatchEvent | None:
    """The fact that was stored; None for a type that match streams do not hold."""
    decode = _DECODERS.get(recorded.type)
    return None if decode is None else decode(recorded.data, recorded.occurred_at)


def _created(data: bytes, at: datetime) -> MatchEvent:
    message = pb.MatchCreated.FromString(data)
    accounts = tuple(map(UUID, message.account_ids))
    laid_down = stage_of(message.tournament) if message.HasField("tournament") else None
    return MatchCreated(message.mode, accounts, UUID(message.round_id), at, message.private, laid_down)


def _quick_match_ended(data: bytes, at: datetime) -> MatchEvent:
    message = pb.QuickMatchEnded.FromString(data)
    return QuickMatchEnded(
        match_id=UUID(message.match_id),
        accounts=tuple(UUID(seat.account_id) for seat in message.seats),
        ends=tuple(_end(seat) for seat in message.seats),
        points=tuple(seat.points for seat in message.seats),
        occurred_at=at,
    )


def _round_ended(data: bytes, at: datetime) -> MatchEvent:
    message = pb.MatchRoundEnded.FromString(data)
    return MatchRoundEnded(
        match_id=UUID(message.match_id),
        round_id=UUID(message.round_id),
        number=message.number,
        reason=end_reason(message.ending),
        accounts=tuple(UUID(seat.account_id) for seat in message.seats),
        ends=tuple(_end(seat) for seat in message.seats),
        next_round_id=UUID(message.next_round_id) if message.next_round_id else None,
        occurred_at=at,
    )


def _arena_ended(data: bytes, at: datetime) -> MatchEvent:
    message = pb.ArenaEnded.FromString(data)
    return ArenaEnded(
        match_id=UUID(message.match_id),
        accounts=tuple(UUID(seat.account_id) for seat in message.seats),
        places=tuple(seat.place for seat in message.seats),
        scores=tuple(seat.score for seat in message.seats),
        round_scores=tuple(tuple(seat.round_scores) for seat in message.seats),
        points=tuple(seat.points for seat in message.seats),
        occurred_at=at,
    )


def _tournament_match_ended(data: bytes, at: datetime) -> MatchEvent:
    message = pb.TournamentMatchEnded.FromString(data)
    return TournamentMatchEnded(
        match_id=UUID(message.match_id),
        tournament_id=UUID(message.tournament_id),
        round_number=message.round_number,
        accounts=tuple(UUID(seat.account_id) for seat in message.seats),
        ends=tuple(_end(seat) for seat in message.seats),
        acted=tuple(seat.acted for seat in message.seats),
        cut=message.cut,
        occurred_at=at,
    )


def _end(seat: pb.QuickMatchEnded.Seat | pb.MatchRoundEnded.Seat | pb.TournamentMatchEnded.Seat) -> SeatEnd:
    # What is left of each board stands in the round's own end.
    return SeatEnd(seat.place, seat.round_score, seat.cleared, 0)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], MatchEvent]]] = {
    TYPES[MatchCreated][1]: _created,
    TYPES[QuickMatchEnded][1]: _quick_match_ended,
    TYPES[MatchRoundEnded][1]: _round_ended,
    TYPES[ArenaEnded][1]: _arena_ended,
    TYPES[TournamentMatchEnded][1]: _tournament_match_ended,
}
