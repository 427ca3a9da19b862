"""Feed entries as the protobuf messages of FeedService, and back."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.pb.sparrow.event.v1 import event_pb2

PART_TO_WIRE = {Part.FACTS: event_pb2.PART_FACTS, Part.MOVES: event_pb2.PART_MOVES}
PART_FROM_WIRE = {wire: part for part, wire in PART_TO_WIRE.items()}


def entry_to_wire(entry: FeedEntry, source: str) -> event_pb2.FeedEntry:
    """Return an entry of the feed of `source` (`<site>/<service>`) as a message."""
    event = entry.event
    return event_pb2.FeedEntry(
        sequence=entry.seq,
        at=_timestamp(entry.at),
        chain=entry.chain,
        event=event_pb2.Event(
            id=event.id,
            source=source,
            type=event.type,
            subject=str(event.stream_id),
            time=_timestamp(event.occurred_at),
            recorded_time=_timestamp(event.recorded_at),
            schema_version=event.schema_version,
            version=event.version,
            data=event.data,
            caller=str(event.caller),
            request_id=event.request_id,
            request_events=event.request_events,
            traceparent=event.traceparent,
        ),
    )


def entry_from_wire(wire: event_pb2.FeedEntry, part: Part) -> FeedEntry:
    """Return the entry in a message; `part` is the one that was asked for. Raises ValueError on nonsense."""
    event = wire.event
    recorded = RecordedEvent(
        stream_id=UUID(event.subject),
        version=event.version,
        part=part,
        type=event.type,
        schema_version=event.schema_version,
        occurred_at=_instant(event.time),
        recorded_at=_instant(event.recorded_time),
        caller=UUID(event.caller),
        request_id=event.request_id if event.HasField("request_id") else None,
        request_events=event.request_events,
        data=event.data,
        traceparent=event.traceparent if event.HasField("traceparent") else None,
    )
    return FeedEntry(wire.sequence, _instant(wire.at), wire.chain, recorded)


def _timestamp(instant: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(instant)
    return stamp


def _instant(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(tzinfo=UTC)
