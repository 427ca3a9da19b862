"""Occurrences of calendar rules: one per rule and date, created ahead, with an id that follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from libs.eventsourcing.ids import derived_id
from libs.rules.romania import ONE_DAY, civil_date, first_instant
from services.tournament.domain.calendar.rules import CalendarRule, days_of

AHEAD: Final = timedelta(days=14)
"""So long before their start occurrences are there to be seen."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A rule on one of its dates."""

    day: date
    """The Romanian date; with the rule it names the occurrence."""
    starts_at: datetime


def occurrences(rule: CalendarRule, first: date, last: date) -> tuple[Occurrence, ...]:
    """The occurrences on the dates from one to another, both included.

    A time that does not exist on a date is the first instant that does; of one that comes twice, the first.
    """
    return tuple(Occurrence(day, first_instant(day, rule.clock)) for day in days_of(rule, first, last))


def due_ahead(rule: CalendarRule, now: datetime, ahead: timedelta = AHEAD) -> tuple[Occurrence, ...]:
    """The occurrences that start after `now` and not later than `ahead` from then.

    Asked again and again, each is named as often as it is due: that it exists once is what its id is for.
    """
    first, last = civil_date(now), civil_date(now + ahead)
    return tuple(
        each for each in occurrences(rule, first, last + ONE_DAY) if now < each.starts_at <= now + ahead
    )


def occurrence_id(series_id: UUID, day: date) -> UUID:
    """The tournament of a series on a date: the same for whoever creates it, and however often.

    It follows from the date alone, not from the instant: newer time-zone data may move that one.
    """
    return derived_id(datetime.combine(day, time(), UTC), "series", str(series_id), day.isoformat())
