"""What processes tell each other on `sparrow.seat.<attempt>`: which session took the seat, and when.

The instant keeps the order: a word that comes late must not end the stream of who took the seat after it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def seat_message(session_id: UUID, at: datetime) -> bytes:
    """The session and the microseconds since 1970."""
    return session_id.bytes + ((at - EPOCH) // MICROSECOND).to_bytes(8)


def read_seat(data: bytes) -> tuple[UUID, datetime] | None:
    """The session and the instant; None when the bytes are no such message."""
    if len(data) != 24:
        return None
    try:
        at = EPOCH + int.from_bytes(data[16:]) * MICROSECOND
    except OverflowError:
        return None
    return UUID(bytes=data[:16]), at
