"""Stored facts of match streams back to events: `round_codec.encoded` is the other direction."""

from __future__ import annotations

from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2 as pb
from services.match.domain.rivals.match_events import MatchCreated, MatchEvent, QuickMatchEnded
from services.match.domain.rivals.terms import SeatEnd
from services.match.wire.round_codec import TYPES


def decode_match_fact(recorded: RecordedEvent) -> MatchEvent | None:
    """The fact that was stored; None for a type that match streams do not hold."""
    at = recorded.occurred_at
    if recorded.type == TYPES[MatchCreated][1]:
        created = pb.MatchCreated.FromString(recorded.data)
        accounts = tuple(map(UUID, created.account_ids))
        return MatchCreated(created.mode, accounts, UUID(created.round_id), at)
    if recorded.type != TYPES[QuickMatchEnded][1]:
        return None
    ended = pb.QuickMatchEnded.FromString(recorded.data)
    # What is left of each board stands in the round's own end.
    ends = tuple(SeatEnd(seat.place, seat.round_score, seat.cleared, 0) for seat in ended.seats)
    return QuickMatchEnded(
        match_id=UUID(ended.match_id),
        accounts=tuple(UUID(seat.account_id) for seat in ended.seats),
        ends=ends,
        points=tuple(seat.points for seat in ended.seats),
        occurred_at=at,
    )
