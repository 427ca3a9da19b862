"""Whether a stretch of the log is right, at once: nearly all are; what is wrong in one is found elsewhere.

PostgreSQL computes the chain of a stretch; the bytes of each transfer are held against its row as they come.
`log_check` goes through whatever is not right here entry by entry, names it, and is the definition: its tests
damage everything, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from google.protobuf.message import DecodeError

from services.ledger.events import TransferPosted
from services.ledger.projections.generations import Connection
from services.ledger.wire.events import (
    ASSET_FROM_WIRE,
    LEDGER_DAY_CLOSED,
    TRANSFER_CANCELLED,
    TRANSFER_POSTED,
    cancelled_key,
    posted_message,
)

CONTENTS: Final = tuple(column.name for column in fields(TransferPosted))
NOTHING: Final = (None,) * (len(CONTENTS) - 1)
"""What a tombstone has beside its instant and its key."""


def _micros(column: str) -> str:
    """An instant as the chain has it: microseconds since 1970."""
    return f"int8send((extract(epoch FROM {column}) * 1000000)::bigint)"


LINK: Final = f"""
    sha256(
        previous || '\\x0000000101'::bytea
        || '\\x00000008'::bytea || int8send(seq) || '\\x00000010'::bytea || uuid_send(stream_id)
        || '\\x00000008'::bytea || int8send(version) || '\\x00000008'::bytea || {_micros("at")}
        || '\\x00000008'::bytea || {_micros("occurred_at")}
        || '\\x00000008'::bytea || {_micros("recorded_at")}
        || '\\x00000004'::bytea || int4send(schema_version::integer)
        || '\\x00000010'::bytea || uuid_send(caller)
        || '\\x00000004'::bytea || int4send(request_events::integer)
        || int4send(octet_length(type)) || convert_to(type, 'UTF8')
        || CASE WHEN request_id IS NULL THEN '\\xffffffff'::bytea
                ELSE int4send(octet_length(request_id)) || convert_to(request_id, 'UTF8') END
        || data
    )
"""
STRETCH: Final = f"""
    SELECT type, schema_version, occurred_at, recorded_at, data, chain,
           seq = $1 + place - 1 AND version = 1 AND at >= at_before AND chain = {LINK} AS is_right
    FROM (
        SELECT f.seq, f.at, f.chain, e.*, row_number() OVER w AS place,
               lag(f.at, 1, f.at) OVER w AS at_before,
               coalesce(
                   lag(f.chain) OVER w, (SELECT chain FROM feed WHERE part = 1 AND seq = $1 - 1),
                   decode(repeat('00', 32), 'hex')
               ) AS previous
        FROM (SELECT * FROM feed WHERE part = 1 AND seq BETWEEN $1 AND $2 ORDER BY seq) AS f
        CROSS JOIN LATERAL (
            SELECT stream_id, version, type, schema_version, occurred_at, recorded_at, caller, request_id,
                   request_events, data
            FROM event_facts WHERE part = 1 AND stream_id = f.stream_id AND version = f.version OFFSET 0
        ) AS e
        WINDOW w AS (ORDER BY f.seq)
    ) AS placed
    ORDER BY seq
"""  # noqa: S608 ours
ROWS: Final = f"""
    SELECT posted_at, {", ".join(CONTENTS)} FROM transfer WHERE key = ANY($1::text[])
""".replace(" day,", " day::text,")  # noqa: S608 ours


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a stretch that is right holds."""

    transfers: int  # tombstones of cancelled keys among them
    chain: bytes  # behind its last event


class QuickCheck:
    """Looks at stretches of one snapshot's log."""

    def __init__(self, log: Connection, journal: Connection) -> None:
        """Read the log and the journal over connections on which instants are numbers."""
        self._log = log
        self._journal = journal

    async def read(self, first: int, last: int) -> Sequence[Any]:
        """Return a stretch of the log, for `check`."""
        return await self._log.fetch(STRETCH, first, last)

    async def check(self, rows: Sequence[Any], size: int) -> Stretch | None:
        """Return what `size` events hold that are right, as are their transfers; None: something is not."""
        if len(rows) != size or not all(row[6] for row in rows):
            return None
        try:
            logged = [_logged(row) for row in rows if row[0] != LEDGER_DAY_CLOSED]
        except (DecodeError, KeyError, ValueError):
            return None
        expected = {row[1]: row for row in logged}
        kept = await self._journal.fetch(ROWS, list(expected))
        if not len(logged) == len(expected) == len(kept):
            return None
        if any(tuple(row) != expected[row[1]] for row in kept):
            return None
        return Stretch(len(logged), rows[-1][5])


def _logged(row: Any) -> tuple[Any, ...]:
    """Return the row of the journal that an event stands for. Raises ValueError, KeyError, DecodeError."""
    type_, schema_version, occurred_at, recorded_at, data, _, _ = row
    if schema_version != 1:
        raise ValueError(schema_version)
    if type_ == TRANSFER_CANCELLED:
        return occurred_at, cancelled_key(data), *NOTHING
    if type_ != TRANSFER_POSTED:
        raise ValueError(type_)
    sent = posted_message(data)
    return (
        recorded_at,
        sent.key,
        ASSET_FROM_WIRE[sent.asset],
        sent.debit,
        sent.credit,
        sent.amount,
        sent.reason,
        occurred_at,
        sent.day,
        sent.time_zone_data,
        sent.cause,
        sent.reverses,
        sent.cup_kind,
    )
