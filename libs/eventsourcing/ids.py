"""Ids: UUIDv7 shapes, so that a range of ids is a range of birth times. Time and randomness are arguments."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from uuid import UUID

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RANDOM_BYTES = 10


def _assemble(at: datetime, tail: bytes) -> UUID:
    assert len(tail) == RANDOM_BYTES
    milliseconds = (at - EPOCH) // (datetime.resolution * 1000)
    assert 0 <= milliseconds < 1 << 48
    value = milliseconds << 80 | int.from_bytes(tail)
    value &= ~(0xF << 76) & ~(0x3 << 62)
    return UUID(int=value | 0x7 << 76 | 0x2 << 62)


def uuid7(at: datetime, randomness: bytes) -> UUID:
    """Return a UUIDv7 (RFC 9562) born at `at` from 10 random bytes (74 bits of them are used)."""
    return _assemble(at, randomness)


def birth_of(identity: UUID) -> datetime:
    """Return the instant a UUIDv7 was born at, to the millisecond."""
    return EPOCH + (identity.int >> 80) * (datetime.resolution * 1000)


def derived_id(at: datetime, *what: str) -> UUID:
    """Return the one id of `what`, in the shape of a UUIDv7 born at `at`: the same for the same arguments.

    For facts that must exist once, whoever records them: a transfer by its key, the end of a day.
    """
    digest = hashlib.sha256()
    for text in what:
        raw = text.encode()
        digest.update(len(raw).to_bytes(4) + raw)
    return _assemble(at, digest.digest()[:RANDOM_BYTES])
