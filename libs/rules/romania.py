"""Romanian civil time: the zone from the pinned `tzdata` wheel, and when its clocks show what.

The zone is read from the wheel itself, so no process and no test can see the machine's own zone files or
`PYTHONTZPATH`. What leaves this module is UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

ZONE_NAME: Final = "Europe/Bucharest"
TIME_ZONE_DATA: Final = version("tzdata")
"""Version of the rules, for instance "2026.6"."""

ONE_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


@cache
def zone() -> ZoneInfo:
    """Return the zone of Romania."""
    continent, city = ZONE_NAME.split("/")
    with files("tzdata").joinpath("zoneinfo", continent, city).open("rb") as rules:
        return ZoneInfo.from_file(rules, key=ZONE_NAME)


def first_instant(day: date, clock: time) -> datetime:
    """Return the first instant of a Romanian day at which the clocks show that time or a later one, in UTC.

    A time that does not exist on the day is thereby the instant of the change; one that comes twice is the
    first of the two. `clock` is naive, in whole seconds.
    """
    shown = datetime.combine(day, clock, zone())
    first, second = shown.astimezone(UTC), shown.replace(fold=1).astimezone(UTC)
    return first if first <= second else _change_between(second, first)


def civil_date(instant: datetime) -> date:
    """Return the Romanian date of an instant in UTC."""
    assert instant.tzinfo is UTC, "instants are UTC"
    return instant.astimezone(zone()).date()


def _change_between(early: datetime, late: datetime) -> datetime:
    """Return the first second with the offset of `late`; at `early` another one holds."""
    offset = late.astimezone(zone()).utcoffset()
    while late - early > _SECOND:
        middle = early + (late - early) // _SECOND // 2 * _SECOND
        if middle.astimezone(zone()).utcoffset() == offset:
            late = middle
        else:
            early = middle
    return late
