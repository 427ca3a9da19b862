"""What processes tell each other on `sparrow.seat.<stream>`: which session took its account's seat, and when.

The instant keeps the order: a word that comes late must not end the stream of who took the seat after it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def seat_message(account_id: UUID, session_id: UUID, at: datetime) -> bytes:
    """The account, the session and the microseconds since 1970."""
    return account_id.bytes + session_id.bytes + ((at - EPOCH) // MICROSECOND).to_bytes(8)


def read_seat(data: bytes) -> tuple[UUID, UUID, datetime] | None:
    """The account, the session and the instant; None when the bytes are no such message."""
    if len(data) != 40:
        return None
    try:
        at = EPOCH + int.from_bytes(data[32:]) * MICROSECOND
    except OverflowError:
        return None
    return UUID(bytes=data[:16]), UUID(bytes=data[16:32]), at
