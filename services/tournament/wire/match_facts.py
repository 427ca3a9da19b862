"""What matches tell of the tables of tournaments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2
from services.tournament.domain.tournament.words import SeatResult

TOURNAMENT_MATCH_ENDED: Final = "sparrow.match.tournament_match_ended.v1"


@dataclass(frozen=True, slots=True)
class TableOver:
    """A table of a tournament is over."""

    tournament_id: UUID
    match_id: UUID
    results: tuple[SeatResult, ...]
    """By seat."""
    is_cut: bool
    ended_at: datetime


def table_over(event: RecordedEvent) -> TableOver:
    """What the fact says. Raises ValueError where it makes no sense."""
    try:
        message = match_event_pb2.TournamentMatchEnded.FromString(event.data)
    except DecodeError as error:
        raise ValueError(str(error)) from None
    return TableOver(
        tournament_id=UUID(message.tournament_id),
        match_id=UUID(message.match_id),
        results=tuple(SeatResult(seat.round_score, seat.cleared, seat.acted) for seat in message.seats),
        is_cut=message.cut,
        ended_at=event.occurred_at,
    )
