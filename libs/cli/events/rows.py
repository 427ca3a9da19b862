"""A feed entry as a row of an export, and back."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import DecodeError

from libs.cli.events.documents import document
from libs.cli.events.instants import instant_text
from libs.cli.events.schema import known_types
from libs.cli.events.withholding import openly, shown_request_id
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from services.ledger.domain.calendar import ledger_day

COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "source": "VARCHAR",
        "service": "VARCHAR",
        "part": "VARCHAR",
        "seq": "BIGINT",
        "placed_at": "TIMESTAMP",
        "event_id": "VARCHAR",
        "stream_id": "VARCHAR",
        "version": "BIGINT",
        "type": "VARCHAR",
        "schema_version": "INTEGER",
        "occurred_at": "TIMESTAMP",
        "occurred_day": "DATE",
        "recorded_at": "TIMESTAMP",
        "caller": "VARCHAR",
        "request_id": "VARCHAR",
        "request_events": "INTEGER",
        "withheld": "VARCHAR",
        "data": "BLOB",
        "message": "JSON",
        "chain": "BLOB",
    }
)
"""The columns of an export in their order, with their types in SQL. Instants are UTC."""

DATA, REQUEST_ID = "data", "request_id"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


@dataclass(frozen=True, slots=True)
class ExportedEntry:
    """An entry as it stands in an export. What is withheld is empty in `entry`."""

    entry: FeedEntry
    message: Mapping[str, Any] | None
    """None for types that the exporting program did not know; of a withheld event the open fields."""
    withheld: frozenset[str] = frozenset()
    """DATA, REQUEST_ID, both or neither: then the entry's chain value cannot be recomputed."""


def row_of(entry: FeedEntry, service: str, source: str, *, withhold: bool) -> dict[str, Any]:
    """Return an entry as JSON writes it: bytes in base64, the chain value in hexadecimal."""
    event = entry.event
    request_id, stream_id = shown_request_id(event), str(event.stream_id)
    withheld, said = [DATA] if withhold else [], _message(event)
    if request_id != event.request_id:
        withheld.append(REQUEST_ID)
    return {
        "source": source,
        "service": service,
        "part": event.part.value,
        "seq": entry.seq,
        "placed_at": instant_text(entry.at),
        "event_id": f"{stream_id}/{event.version}",
        "stream_id": stream_id,
        "version": event.version,
        "type": event.type,
        "schema_version": event.schema_version,
        "occurred_at": instant_text(event.occurred_at),
        "occurred_day": ledger_day(event.occurred_at).isoformat(),
        "recorded_at": instant_text(event.recorded_at),
        "caller": str(event.caller),
        "request_id": request_id,
        "request_events": event.request_events,
        "withheld": ",".join(withheld) or None,
        "data": None if withhold else b64encode(event.data).decode(),
        "message": openly(event.type, said) if withhold and said is not None else said,
        "chain": entry.chain.hex(),
    }


def line_of(row: Mapping[str, Any]) -> str:
    """Return a row as one line of JSON, always the same text for the same row."""
    return _encode(row)


def exported(row: Mapping[str, Any]) -> ExportedEntry:
    """Return the entry in a row as JSON writes it. Raises KeyError, TypeError or ValueError on nonsense."""
    recorded = RecordedEvent(
        stream_id=UUID(row["stream_id"]),
        version=row["version"],
        part=Part(row["part"]),
        type=row["type"],
        schema_version=row["schema_version"],
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
        caller=UUID(row["caller"]),
        request_id=row["request_id"],
        request_events=row["request_events"],
        data=b64decode(row["data"] or ""),
    )
    entry = FeedEntry(
        row["seq"], datetime.fromisoformat(row["placed_at"]), bytes.fromhex(row["chain"]), recorded
    )
    withheld = frozenset(row["withheld"].split(",")) if row["withheld"] else frozenset[str]()
    return ExportedEntry(entry, row["message"], withheld)


def _message(event: RecordedEvent) -> dict[str, Any] | None:
    """What an event says; None for a type that this program does not know, or bytes that are not of it."""
    type_ = known_types().get(event.type)
    try:
        return None if type_ is None else document(type_.FromString(event.data))
    except DecodeError:
        return None
