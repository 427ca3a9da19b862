"""Between rows and values: the columns of an event, the numbers of the parts, the arguments of `append`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.port import Repeated, Request, StreamAppend

Row = Any  # a record of asyncpg or a row of SQLAlchemy: columns by number

PART_NUMBERS = {Part.FACTS: 1, Part.MOVES: 2}
PARTS = {number: part for part, number in PART_NUMBERS.items()}

EVENT_COLUMNS = (
    "e.stream_id, e.version, e.part, e.type, e.schema_version, e.occurred_at, e.recorded_at, e.caller,"
    " e.request_id, e.request_events, e.data, e.meta->>'traceparent'"
)
FEED_COLUMNS = "f.seq, f.at, f.chain"


def as_uuid(value: UUID) -> UUID:
    """Return a plain UUID: asyncpg's own subclass is equal, but slower to hash and strange to print."""
    return UUID(int=value.int)


def to_event(row: Row, start: int = 0) -> RecordedEvent:
    """Return the event whose `EVENT_COLUMNS` begin at `start`."""
    stream_id, version, part, type_, schema_version, occurred_at, recorded_at, caller, *rest = row[start:]
    request_id, request_events, data, traceparent = rest
    return RecordedEvent(
        as_uuid(stream_id),
        version,
        PARTS[part],
        type_,
        schema_version,
        occurred_at,
        recorded_at,
        as_uuid(caller),
        request_id,
        request_events,
        data,
        traceparent,
    )


def to_feed_entry(row: Row) -> FeedEntry:
    """Return the entry of a row of `FEED_COLUMNS` and `EVENT_COLUMNS`."""
    return FeedEntry(row[0], row[1], row[2], to_event(row, 3))


def to_repeated(row: Row) -> Repeated:
    """Return what `find_request` found."""
    sha256, stream_id, first_version, event_count, kept = row
    return Repeated(
        sha256, None if stream_id is None else as_uuid(stream_id), first_version or 0, event_count or 0, kept
    )


APPEND = "SELECT * FROM append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"


def append_arguments(
    appends: Sequence[StreamAppend],
    events: Sequence[RecordedEvent],
    request: Request | None,
    reply: bytes | None,
) -> tuple[Any, ...]:
    """Return the arguments of `APPEND`; heads are sorted by stream id: appends never lock crosswise."""
    heads = sorted(appends, key=lambda append: append.stream_id.bytes)
    return (
        [head.stream_id for head in heads],
        [head.expected_version for head in heads],
        [head.expected_version + len(head.events) for head in heads],
        [PART_NUMBERS[event.part] for event in events],
        [event.stream_id for event in events],
        [event.version for event in events],
        [event.type for event in events],
        [event.schema_version for event in events],
        [event.occurred_at for event in events],
        [event.data for event in events],
        events[0].recorded_at,
        events[0].caller,
        None if request is None else request.request_id,
        None if request is None else request.sha256,
        events[0].request_events,
        reply,
        events[0].traceparent,
    )
