"""Messages of a watch stream."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from services.match.domain.following import Change, End, Heartbeat, Seen, Snapshot
from services.match.wire.boards import timestamp, update_message
from services.match.wire.matches import match_message


def stream_message(attempt_id: UUID, seen: Seen, resume_token: str, now: datetime) -> pb.WatchResponse:
    """One message; the token says where it leaves the reader."""
    message = pb.WatchResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            message.snapshot.CopyFrom(match_message(attempt_id, state, now))
        case Change(events=events, state=state):
            message.update.CopyFrom(update_message(events, state))
        case Heartbeat():
            message.heartbeat.time.CopyFrom(timestamp(now))
        case End(reason=reason):
            message.end.reason = reason
    return message
