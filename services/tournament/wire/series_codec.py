"""Events of series to stored bytes and back. All are facts."""

from __future__ import annotations

from datetime import date, time
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.tournament.v1 import series_event_pb2 as pb
from libs.runtime.errors import Refused
from services.tournament.domain.calendar.rules import CalendarRule
from services.tournament.domain.series import events as ev
from services.tournament.domain.series.terms import Series
from services.tournament.wire.words import terms_message, terms_of

SCHEMA_VERSION: Final = 1
CREATED: Final = "sparrow.tournament.series_created.v1"
STOPPED: Final = "sparrow.tournament.series_stopped.v1"

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.SeriesCreated: (Part.FACTS, CREATED),
    ev.SeriesStopped: (Part.FACTS, STOPPED),
}


class SeriesCodec:
    """The codec of the streams of series."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_FOUND for that of a stream that is no series."""
        if recorded.type == CREATED:
            created = _series_of(pb.SeriesCreated.FromString(recorded.data))
            return ev.SeriesCreated(created, recorded.occurred_at)
        if recorded.type == STOPPED:
            return ev.SeriesStopped(recorded.occurred_at)
        raise Refused("NOT_FOUND", "there is no such series")


def to_message(event: ev.Event) -> Message:
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.SeriesCreated(series=series):
            rule = series.rule
            return pb.SeriesCreated(
                series_id=str(series.series_id),
                first_day=rule.first_day.isoformat(),
                clock=f"{rule.clock:%H:%M}",
                recurrence=rule.recurrence,
                terms=terms_message(series.terms),
            )
        case ev.SeriesStopped():
            return pb.SeriesStopped()


def _series_of(message: pb.SeriesCreated) -> Series:
    rule = CalendarRule(
        date.fromisoformat(message.first_day), time.fromisoformat(message.clock), message.recurrence
    )
    return Series(UUID(message.series_id), rule, terms_of(message.terms))
