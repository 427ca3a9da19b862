"""Feed entries as CloudEvents 1.0 messages in binary mode, and back. Pure.

Attributes are headers `ce-…`, the body is the protobuf message of the type. A message is enough to rebuild
the feed entry, so a consumer cannot tell whether an entry came over the bus or from its owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote, unquote
from uuid import UUID

from libs.bus.port import Message
from libs.bus.topology import event_subject, service_of
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent

SPEC_VERSION = "1.0"
CONTENT_TYPE = "application/protobuf"
SEQUENCE = "ce-sequence"
TRACEPARENT = "traceparent"  # W3C's own header: what carries messages may know it, too


class EnvelopeInvalid(ValueError):
    """A message that is not an event of ours."""


def to_message(entry: FeedEntry, source: str) -> Message:
    """Return an entry as it is published. `source` is `<site>/<service>`."""
    event = entry.event
    headers = {
        "ce-specversion": SPEC_VERSION,
        "ce-id": event.id,
        "ce-source": source,
        "ce-type": event.type,
        "ce-subject": str(event.stream_id),
        "ce-time": _instant_text(event.occurred_at),
        "ce-datacontenttype": CONTENT_TYPE,
        "ce-part": event.part.value,
        SEQUENCE: str(entry.seq),
        "ce-sequencedtime": _instant_text(entry.at),
        "ce-chain": entry.chain.hex(),
        "ce-version": str(event.version),
        "ce-schemaversion": str(event.schema_version),
        "ce-recordedtime": _instant_text(event.recorded_at),
        "ce-caller": str(event.caller),
        "ce-requestevents": str(event.request_events),
    }
    if event.request_id is not None:
        # A request id may hold blanks, which headers lose at their ends.
        headers["ce-requestid"] = quote(event.request_id, safe="")
    if event.traceparent is not None:
        headers[TRACEPARENT] = event.traceparent
    subject = event_subject(service_of(source), event.part, event.type, event.stream_id)
    return Message(subject, event.data, headers)


def from_message(message: Message) -> FeedEntry:
    """Return the entry in a message. Raises EnvelopeInvalid for what `to_message` cannot have made."""
    headers = message.headers
    if headers.get("ce-specversion") != SPEC_VERSION:
        raise EnvelopeInvalid(f"the message on {message.subject} is not CloudEvents {SPEC_VERSION}")
    try:
        request_id = headers.get("ce-requestid")
        event = RecordedEvent(
            stream_id=UUID(headers["ce-subject"]),
            version=int(headers["ce-version"]),
            part=Part(headers["ce-part"]),
            type=headers["ce-type"],
            schema_version=int(headers["ce-schemaversion"]),
            occurred_at=_instant(headers["ce-time"]),
            recorded_at=_instant(headers["ce-recordedtime"]),
            caller=UUID(headers["ce-caller"]),
            request_id=None if request_id is None else unquote(request_id),
            request_events=int(headers["ce-requestevents"]),
            data=message.data,
            traceparent=headers.get(TRACEPARENT),
        )
        chain = bytes.fromhex(headers["ce-chain"])
        entry = FeedEntry(int(headers[SEQUENCE]), _instant(headers["ce-sequencedtime"]), chain, event)
    except KeyError as missing:
        raise EnvelopeInvalid(f"the message on {message.subject} has no header {missing}") from None
    except ValueError as error:
        raise EnvelopeInvalid(f"the message on {message.subject} has a wrong header: {error}") from error
    if entry.seq < 1 or event.version < 1 or len(chain) != 32:
        raise EnvelopeInvalid(f"the message on {message.subject} has no place in a feed")
    return entry


def sequence_of(headers: Mapping[str, str]) -> int:
    """Return the place in its feed that a message names; 0 when it names none."""
    text = headers.get(SEQUENCE, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _instant_text(instant: datetime) -> str:
    """Return RFC 3339 in UTC, to the microsecond."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise EnvelopeInvalid(f"{text!r} names no time zone")
    return instant.astimezone(UTC)
