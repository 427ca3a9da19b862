"""Events of tables to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1 import table_event_pb2 as pb
from libs.runtime.errors import Refused
from services.mcr.domain.session import events as ev
from services.mcr.domain.session.terms import Closing, DealRow, TableTerms
from services.mcr.wire.outcomes import outcome_message, outcome_of
from services.mcr.wire.words import duration, key_of, limits_message, limits_of, occupant_message, occupant_of

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.TableOpened: (Part.FACTS, "sparrow.mcr.table_opened.v1"),
    ev.DealStarted: (Part.FACTS, "sparrow.mcr.deal_started.v1"),
    ev.DealFinished: (Part.FACTS, "sparrow.mcr.deal_finished.v1"),
    ev.TableClosed: (Part.FACTS, "sparrow.mcr.table_closed.v1"),
}
CLOSINGS: Final = {
    Closing.PLAYED: deal_pb2.TABLE_CLOSING_PLAYED,
    Closing.ABANDONED: deal_pb2.TABLE_CLOSING_ABANDONED,
    Closing.ABORTED: deal_pb2.TABLE_CLOSING_ABORTED,
}


class TableCodec:
    """The codec of the streams of tables."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_FOUND for that of a stream that is no table."""
        if recorded.type not in _DECODERS:
            raise Refused("NOT_FOUND", "there is no such table")
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def to_message(event: ev.Event) -> Message:
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.TableOpened(terms=terms):
            return pb.TableOpened(
                table_id=str(terms.table_id),
                occupants=map(occupant_message, terms.occupants),
                deal_count=terms.deals,
                limits=limits_message(terms.limits),
                pause=duration(terms.pause),
                private=terms.private,
            )
        case ev.DealStarted(number, deal_id, dealer):
            return pb.DealStarted(number=number, deal_id=str(deal_id), dealer=dealer)
        case ev.DealFinished(row, totals, accounts):
            return pb.DealFinished(
                number=row.number,
                deal_id=str(row.deal_id),
                dealer=row.dealer,
                outcome=outcome_message(row.outcome),
                totals=totals,
                accounts=["" if account is None else str(account) for account in accounts],
            )
        case ev.TableClosed(reason, totals):
            return pb.TableClosed(reason=CLOSINGS[reason], totals=totals)


def _opened(data: bytes, at: datetime) -> ev.Event:
    m = pb.TableOpened.FromString(data)
    occupants = tuple(map(occupant_of, m.occupants))
    limits, pause = limits_of(m.limits), m.pause.ToTimedelta()
    terms = TableTerms(UUID(m.table_id), occupants, m.deal_count, limits, pause, m.private)
    return ev.TableOpened(terms, at)


def _started(data: bytes, at: datetime) -> ev.Event:
    m = pb.DealStarted.FromString(data)
    return ev.DealStarted(m.number, UUID(m.deal_id), m.dealer, at)


def _finished(data: bytes, at: datetime) -> ev.Event:
    m = pb.DealFinished.FromString(data)
    row = DealRow(m.number, UUID(m.deal_id), m.dealer, outcome_of(m.outcome))
    accounts = tuple(UUID(account) if account else None for account in m.accounts)
    return ev.DealFinished(row, tuple(m.totals), accounts, at)


def _closed(data: bytes, at: datetime) -> ev.Event:
    m = pb.TableClosed.FromString(data)
    return ev.TableClosed(key_of(CLOSINGS, m.reason), tuple(m.totals), at)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.TableOpened][1]: _opened,
    TYPES[ev.DealStarted][1]: _started,
    TYPES[ev.DealFinished][1]: _finished,
    TYPES[ev.TableClosed][1]: _closed,
}
