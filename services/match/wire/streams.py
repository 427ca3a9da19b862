"""Messages of a watch stream."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from libs.eventsourcing.following import Change, End, Heartbeat, Seen, Snapshot
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.runtime.languages.endings import ending_text
from services.match.domain.rivals import events as round_events
from services.match.domain.rivals import state as rounds
from services.match.domain.state import NotStarted, State
from services.match.events import Event
from services.match.wire.boards import timestamp, update_message
from services.match.wire.matches import match_message
from services.match.wire.rounds import round_message, round_update


def stream_message(
    attempt_id: UUID, seen: Seen[State, Event], resume_token: str, now: datetime
) -> pb.WatchResponse:
    """One message about an attempt; the token says where it leaves the reader."""
    message = pb.WatchResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            assert not isinstance(state, NotStarted), "a start comes first"
            message.snapshot.CopyFrom(match_message(attempt_id, state, now))
        case Change(events=events, state=state):
            assert not isinstance(state, NotStarted), "a start comes first"
            message.update.CopyFrom(update_message(events, state))
        case Heartbeat() | End():
            _tell(message, seen, now)
    return message


def round_stream_message(
    account_id: UUID, seen: Seen[rounds.State, round_events.Event], resume_token: str, now: datetime
) -> pb.WatchResponse | None:
    """One message about a round to the seat of an account; None when the seat sees nothing of a change."""
    message = pb.WatchResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            message.snapshot.CopyFrom(round_message(*_seated(state, account_id), now))
        case Change(events=events, state=state):
            update = round_update(events, *_seated(state, account_id))
            if update is None:
                return None
            message.update.CopyFrom(update)
        case Heartbeat() | End():
            _tell(message, seen, now)
    return message


def _seated(state: rounds.State, account_id: UUID) -> tuple[rounds.Dealt, int]:
    assert not isinstance(state, rounds.NotDealt), "the deal comes first"
    seat = rounds.seat_of(state, account_id)
    assert seat is not None, "only those who are seated follow a round"
    return state, seat


def _tell(message: pb.WatchResponse, seen: Heartbeat | End, now: datetime) -> None:
    if isinstance(seen, Heartbeat):
        message.heartbeat.time.CopyFrom(timestamp(now))
    else:
        message.end.reason, message.end.text = seen.reason, ending_text(seen.reason)
