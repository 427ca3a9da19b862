"""Romanian ledger days: the civil date in Europe/Bucharest of an instant.

The zone is read from the pinned `tzdata` wheel itself, so no process and no test can see the machine's own
zone files or `PYTHONTZPATH`. Days are keys, never durations: some last 23 or 25 hours. Aware local datetimes
are not subtracted or compared anywhere; a table of UTC midnights and bisection answer every question.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

ZONE_NAME: Final = "Europe/Bucharest"
TIME_ZONE_DATA: Final = version("tzdata")
"""Version of the rules that compute the days, for instance "2026.6": stored with each transfer."""
FIRST_DAY: Final = date(1970, 1, 1)
LAST_DAY: Final = date(2100, 12, 31)

ONE_DAY: Final = timedelta(days=1)


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
    zone = _zone()
    ordinals = range(FIRST_DAY.toordinal(), LAST_DAY.toordinal() + 2)
    return tuple(
        datetime.combine(date.fromordinal(ordinal), datetime.min.time(), zone).astimezone(UTC)
        for ordinal in ordinals
    )


def _zone() -> ZoneInfo:
    continent, city = ZONE_NAME.split("/")
    with files("tzdata").joinpath("zoneinfo", continent, city).open("rb") as rules:
        return ZoneInfo.from_file(rules, key=ZONE_NAME)
