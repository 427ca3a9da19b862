"""Romanian ledger days: the civil date in Europe/Bucharest of an instant.

Days are keys, never durations: some last 23 or 25 hours. Aware local datetimes are not subtracted or compared
anywhere; a table of UTC midnights and bisection answer every question. The zone: libs/rules/romania.py.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

from libs.rules.romania import ONE_DAY, TIME_ZONE_DATA, ZONE_NAME, zone

__all__ = [
    "FIRST_DAY",
    "LAST_DAY",
    "ONE_DAY",
    "TIME_ZONE_DATA",
    "ZONE_NAME",
    "day_end",
    "day_start",
    "ledger_day",
]

FIRST_DAY: Final = date(1970, 1, 1)
LAST_DAY: Final = date(2100, 12, 31)


def ledger_day(instant: datetime) -> date:
    """Return the Romanian day that `instant` (aware, UTC) falls in; monotone in time."""
    assert instant.tzinfo is UTC, "instants are UTC"
    place = bisect_right(_midnights(), instant)
    assert 0 < place < len(_midnights()), f"{instant} is outside the calendar"
    return date.fromordinal(FIRST_DAY.toordinal() + place - 1)


def day_start(day: date) -> datetime:
    """Return the first instant of a Romanian day, in UTC."""
    assert FIRST_DAY <= day <= LAST_DAY + ONE_DAY, f"{day} is outside the calendar"
    return _midnights()[day.toordinal() - FIRST_DAY.toordinal()]


def day_end(day: date) -> datetime:
    """Return the instant at which a Romanian day is over: the first one of the next day, in UTC."""
    return day_start(day + ONE_DAY)


@cache
def _midnights() -> tuple[datetime, ...]:
    """Return the first instants of all days from FIRST_DAY to the one after LAST_DAY, rising.

    Where midnight is skipped, `fold=0` reads the gap with the offset before it: the instant of the change.
    Where it comes twice, the day begins with the first.
    """
    ordinals = range(FIRST_DAY.toordinal(), LAST_DAY.toordinal() + 2)
    return tuple(
        datetime.combine(date.fromordinal(ordinal), datetime.min.time(), zone()).astimezone(UTC)
        for ordinal in ordinals
    )
