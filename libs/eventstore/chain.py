"""The chain of a feed, in one place: the sequencer makes it, every verifier recomputes it.

    chain_0 = 32 zero bytes
    chain_n = SHA-256(chain_{n-1} | columns of entry n | data)

The columns stand in this order, each after its length in bytes as a 4-byte integer; integers are big-endian:

    part (1 byte: 1 facts, 2 moves) · seq (8) · stream id (16) · version (8) · at (8) · occurred_at (8)
    · recorded_at (8) · schema version (4) · caller (16) · request_events (4) · type (UTF-8)
    · request_id (ASCII; length 0xFFFFFFFF and no bytes where there is none)

Instants are microseconds since 1970 UTC, signed. `data` are the raw bytes as stored, never serialised again.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import EPOCH

CHAIN_START = bytes(32)
ABSENT = b"\xff\xff\xff\xff"

_FIXED = struct.Struct(">IB Iq I16s Iq Iq Iq Iq Ii I16s Ii I")
_LENGTH = struct.Struct(">I")
_PART_BYTE = {Part.FACTS: 1, Part.MOVES: 2}
_MICROSECOND = datetime.resolution


def link(previous: bytes, seq: int, at: datetime, event: RecordedEvent) -> bytes:
    """Return the chain value of the entry that places `event` at `seq`, after `previous`."""
    type_ = event.type.encode()
    fixed = _FIXED.pack(
        *(1, _PART_BYTE[event.part]),
        *(8, seq),
        *(16, event.stream_id.bytes),
        *(8, event.version),
        *(8, _microseconds(at)),
        *(8, _microseconds(event.occurred_at)),
        *(8, _microseconds(event.recorded_at)),
        *(4, event.schema_version),
        *(16, event.caller.bytes),
        *(4, event.request_events),
        len(type_),
    )
    if event.request_id is None:
        request = ABSENT
    else:
        raw = event.request_id.encode()
        request = _LENGTH.pack(len(raw)) + raw
    return hashlib.sha256(b"".join((previous, fixed, type_, request, event.data))).digest()


@dataclass(frozen=True, slots=True)
class Broken:
    """The first entry of a feed that is not what was written."""

    seq: int
    why: str


def verify_feed(
    entries: Iterable[FeedEntry], start_chain: bytes, *, start_seq: int = 0
) -> FeedEntry | Broken | None:
    """Return the last entry when all follow on `start_seq` and `start_chain`, or what broke; None if empty.

    Holds: sequences without a gap, `at` never falling, versions of a stream rising, chain values right.
    """
    last: FeedEntry | None = None
    seq, chain = start_seq, start_chain
    versions: dict[bytes, int] = {}
    for entry in entries:
        event = entry.event
        if entry.seq != seq + 1:
            return Broken(entry.seq, f"follows on {seq}")
        if last is not None and (entry.at < last.at or event.part != last.event.part):
            return Broken(entry.seq, "goes back in time or changes its part")
        if event.version <= versions.get(event.stream_id.bytes, 0):
            return Broken(entry.seq, f"{event.id} comes after a later version of its stream")
        if entry.chain != link(chain, entry.seq, entry.at, event):
            return Broken(entry.seq, "its chain value is another")
        versions[event.stream_id.bytes] = event.version
        seq, chain, last = entry.seq, entry.chain, entry
    return last


def _microseconds(instant: datetime) -> int:
    return (instant - EPOCH) // _MICROSECOND
