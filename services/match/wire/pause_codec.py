"""The fact of a pause to its stored message and back: the same for attempts and rounds."""

from __future__ import annotations

from datetime import UTC, datetime

from libs.pb.sparrow.match.v1 import round_event_pb2 as pb
from services.match.events import ClockPaused
from services.match.wire.boards import timestamp


def pause_message(event: ClockPaused) -> pb.ClockPaused:
    """The message that is stored for a pause."""
    return pb.ClockPaused(from_time=timestamp(event.since), to_time=timestamp(event.until))


def clock_paused(data: bytes, at: datetime) -> ClockPaused:
    """The stored pause."""
    message = pb.ClockPaused.FromString(data)
    return ClockPaused(message.from_time.ToDatetime(UTC), message.to_time.ToDatetime(UTC), at)
