"""Romanian weeks: Monday 00:00 to Sunday 24:00, as instants."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from libs.rules.romania import civil_date, first_instant

ONE_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Week:
    """A Romanian week; one of 167 or 169 hours where the clocks change in it."""

    monday: date
    since: datetime
    until: datetime
    """The first instant after it."""


def week_of(instant: datetime) -> Week:
    """The Romanian week that an instant in UTC falls in."""
    day = civil_date(instant)
    monday = day - timedelta(days=day.weekday())
    return Week(monday, first_instant(monday, time()), first_instant(monday + ONE_WEEK, time()))
