"""From the events of a command to the events of the log, the same for every store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.envelope import STREAM_EVENTS_MAX, NewEvent, RecordedEvent
from libs.eventstore.port import Request, StreamAppend
from libs.telemetry.traceparent import sampled


def recorded(
    appends: Sequence[StreamAppend], recorded_at: datetime, caller: UUID, request: Request | None
) -> tuple[RecordedEvent, ...]:
    """Return the events as they will stand in the log: versions given, the key on the first one only."""
    assert appends, "a command appends to a stream"
    assert all(append.events for append in appends), "an append has events"
    assert len({append.stream_id for append in appends}) == len(appends), "a stream stands once in a command"
    traceparent = sampled()
    result: list[RecordedEvent] = []
    for append in appends:
        last = append.expected_version + len(append.events)
        assert last <= STREAM_EVENTS_MAX, f"{append.stream_id} is full"
        for offset, event in enumerate(append.events, 1):
            carries_key = request is not None and not result
            result.append(
                _record(
                    append.stream_id,
                    append.expected_version + offset,
                    event,
                    recorded_at,
                    caller,
                    request.request_id if request is not None and carries_key else None,
                    len(append.events) if carries_key else 0,
                    traceparent,
                )
            )
    return tuple(result)


def _record(
    stream_id: UUID,
    version: int,
    event: NewEvent,
    recorded_at: datetime,
    caller: UUID,
    request_id: str | None,
    request_events: int,
    traceparent: str | None,
) -> RecordedEvent:
    return RecordedEvent(
        stream_id,
        version,
        event.part,
        event.type,
        event.schema_version,
        event.occurred_at,
        recorded_at,
        caller,
        request_id,
        request_events,
        event.data,
        traceparent,
    )
