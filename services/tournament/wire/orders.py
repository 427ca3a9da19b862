"""What operators order, read from messages. Raises Refused FIELD_INVALID with the field that is wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as pb
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as words_pb
from libs.runtime.errors import invalid_field
from services.tournament.domain.calendar.rules import EARLIEST, LATEST, CalendarRule
from services.tournament.domain.series import terms as series_terms
from services.tournament.domain.series.terms import Series
from services.tournament.domain.tournament import terms as words
from services.tournament.domain.tournament.terms import TIMES, Terms, Times
from services.tournament.domain.tournament.words import Ground
from services.tournament.wire.words import GROUNDS, KINDS, key_of, terms_of

TERMS_FIELDS: Final = {
    words.TermsProblem.PARTICIPANTS: "minimum",
    words.TermsProblem.ROUNDS: "multipliers",
    words.TermsProblem.ENTRY: "weekly_prize_points",
}
"""What fields are called where the terms call them otherwise."""
RULE_FIELDS: Final = {"clock", "first_day", "recurrence"}
CLOCK_CHARACTERS: Final = len("20:00")


def terms_ordered(message: words_pb.TournamentTerms) -> Terms:
    """Terms with which there is a tournament; spans that are left out are those of all of them."""
    terms = _terms_read(message)
    problem = words.problem_of(terms)
    if problem is not None:
        raise invalid_field(f"terms.{TERMS_FIELDS.get(problem, problem)}", "no such tournament is possible")
    return terms


def series_ordered(message: pb.CreateTournamentSeriesRequest, series_id: UUID) -> Series:
    """A series that is possible."""
    terms = terms_ordered(message.terms)
    series = Series(series_id, CalendarRule(*_day_and_clock(message), message.recurrence), terms)
    problem = series_terms.problem_of(series)
    if problem is not None:
        field = str(problem) if problem in RULE_FIELDS else "recurrence"
        raise invalid_field(field, "no such rule is possible for it")
    return series


def start_ordered(message: Timestamp) -> datetime:
    """When a tournament starts, in this century."""
    try:
        starts_at = message.ToDatetime(UTC)
    except (ValueError, OverflowError) as error:
        raise invalid_field("start_time", "no instant") from error
    if not EARLIEST <= starts_at.date() <= LATEST:
        raise invalid_field("start_time", f"from {EARLIEST} to {LATEST}")
    return starts_at


def ground_ordered(ground: words_pb.OperatorGround.ValueType) -> Ground:
    """Why an operator acts."""
    if ground == words_pb.OPERATOR_GROUND_UNSPECIFIED or ground not in GROUNDS.values():
        raise invalid_field("ground", "one of the grounds")
    found = key_of(GROUNDS, ground)
    assert found is not None, "an unset one was refused"
    return found


def _terms_read(message: words_pb.TournamentTerms) -> Terms:
    copy = words_pb.TournamentTerms()
    copy.CopyFrom(message)
    if copy.kind == words_pb.TOURNAMENT_KIND_UNSPECIFIED:
        copy.kind = words_pb.TOURNAMENT_KIND_ORDINARY
    if copy.kind not in KINDS.values():
        raise invalid_field("terms.kind", "one of the kinds")
    if copy.weekly_prize_points < 0:
        raise invalid_field("terms.weekly_prize_points", "0 or more")
    given = copy.times
    spans = {
        name: _span(f"terms.times.{name}", getattr(given, name))
        for name in ("registration", "pause", "round_limit")
        if given.HasField(name)
    }
    copy.ClearField("times")
    duration = _span("terms.duration", copy.duration)
    copy.ClearField("duration")
    terms = terms_of(copy)
    times = Times(
        spans.get("registration", TIMES.registration),
        spans.get("pause", TIMES.pause),
        spans.get("round_limit", TIMES.round_limit),
    )
    return Terms(
        name=terms.name,
        duration=duration,
        minimum=terms.minimum,
        maximum=terms.maximum,
        prizes=terms.prizes,
        rounds=terms.rounds,
        entry=terms.entry,
        kind=terms.kind,
        times=times,
    )


def _span(field: str, message: Duration) -> timedelta:
    longest = timedelta(days=366)
    try:
        span = message.ToTimedelta()
    except (ValueError, OverflowError) as error:
        raise invalid_field(field, "no span of time") from error
    if not -longest <= span <= longest:
        raise invalid_field(field, "at most a year")
    return span


def _day_and_clock(message: pb.CreateTournamentSeriesRequest) -> tuple[date, time]:
    try:
        first_day = date.fromisoformat(message.first_day)
    except ValueError as error:
        raise invalid_field("first_day", 'a date as "2026-11-30"') from error
    try:
        clock = time.fromisoformat(message.clock)
    except ValueError as error:
        raise invalid_field("clock", 'a time as "20:00"') from error
    if len(message.clock) != CLOCK_CHARACTERS:
        raise invalid_field("clock", 'a time as "20:00"')
    return first_day, clock
