"""Events as they are stored and carried: an envelope around a protobuf message."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

EVENT_BYTES_MAX = 16 * 1024
STREAM_EVENTS_MAX = 5_000


class Part(StrEnum):
    """One of the two feeds of a service. An event's type decides its part."""

    FACTS = "facts"
    MOVES = "moves"


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact about to be appended."""

    part: Part
    type: str  # "sparrow.match.attempt_cleared.v1"
    schema_version: int
    occurred_at: datetime  # aware, UTC
    data: bytes

    def __post_init__(self) -> None:
        assert self.occurred_at.tzinfo is not None, "instants are aware"
        assert len(self.data) <= EVENT_BYTES_MAX, f"{self.type} holds {len(self.data)} bytes"


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A stored fact. Its identity is `stream_id/version`; versions of a stream run from 1."""

    stream_id: UUID
    version: int
    part: Part
    type: str
    schema_version: int
    occurred_at: datetime
    recorded_at: datetime
    caller: UUID
    request_id: str | None  # on the first event of a command only
    request_events: int  # how many events that command appended to this stream; 0 on the others
    data: bytes
    # W3C trace context of the command: a hint of transport, no part of the fact
    traceparent: str | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """CloudEvents id."""
        return f"{self.stream_id}/{self.version}"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An event at its place in the gapless feed of one part."""

    seq: int
    at: datetime
    chain: bytes  # SHA-256, 32 bytes
    event: RecordedEvent
