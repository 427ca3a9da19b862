"""Calendar rules: once, or again by the recurrence rules of the calendar standard (RFC 5545), as civil dates.

A rule names dates; its time of day is one for all of them, so that there is one occurrence per rule and date.
Which parts a recurrence may have is listed here, before the library reads any: `INTERVAL=0` and parts that
repeat within a day have no meaning here, and the first would never end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final

from dateutil.rrule import rrule, rruleset, rrulestr

_MONTH_DAY: Final = r"-?(?:[1-9]|[12]\d|3[01])"
_NUMBERS: Final = rf"{_MONTH_DAY}(?:,{_MONTH_DAY})*"
_WEEKDAYS: Final = r"(?:MO|TU|WE|TH|FR|SA|SU)"
_PLAIN_DAYS: Final = rf"{_WEEKDAYS}(?:,{_WEEKDAYS})*"
_NTH_DAYS: Final = rf"(?:-?[1-5])?{_WEEKDAYS}(?:,(?:-?[1-5])?{_WEEKDAYS})*"
_EVERYWHERE: Final = {"INTERVAL": r"[1-9]\d{0,2}", "COUNT": r"[1-9]\d{0,3}", "UNTIL": r"\d{8}"}
_PARTS: Final[Mapping[str, Mapping[str, str]]] = {
    "DAILY": _EVERYWHERE,
    "WEEKLY": {**_EVERYWHERE, "BYDAY": _PLAIN_DAYS},
    "MONTHLY": {**_EVERYWHERE, "BYDAY": _NTH_DAYS, "BYMONTHDAY": _NUMBERS, "BYSETPOS": _NUMBERS},
    "YEARLY": {
        **_EVERYWHERE,
        "BYMONTH": r"(?:[1-9]|1[0-2])(?:,(?:[1-9]|1[0-2]))*",
        "BYDAY": _NTH_DAYS,
        "BYMONTHDAY": _NUMBERS,
        "BYSETPOS": _NUMBERS,
    },
}
"""By frequency: the parts that a recurrence may have, and what each may say."""
TEXT_MAX: Final = 200
FIRST_OCCURRENCE_WITHIN: Final = timedelta(days=3_653)
"""Ten years: what has not begun by then is a mistake (the longest true wait is eight, for a 29 February)."""
EARLIEST, LATEST = date(2000, 1, 1), date(2099, 12, 31)


class RuleProblem(StrEnum):
    """Why there is no such calendar rule."""

    RECURRENCE = "recurrence"
    """Not a recurrence of whole days."""
    CLOCK = "clock"
    """A time of day with a zone, or with fractions of a minute."""
    FIRST_DAY = "first_day"
    """Before 2000 or after 2099."""
    NEVER = "never"
    """It names no date within ten years of its first day."""


@dataclass(frozen=True, slots=True)
class CalendarRule:
    """From a first day on, at a time of the Romanian day; without a recurrence on the first day only."""

    first_day: date
    clock: time
    """Naive, in whole minutes: what the clocks of Romania show."""
    recurrence: str = ""
    """For instance "FREQ=WEEKLY;BYDAY=SU"; dates before the first day are none of it."""


def problem_of(rule: CalendarRule) -> RuleProblem | None:
    """Why there is no such rule; None where there is."""
    if not EARLIEST <= rule.first_day <= LATEST:
        return RuleProblem.FIRST_DAY
    if rule.clock.tzinfo is not None or rule.clock.second or rule.clock.microsecond:
        return RuleProblem.CLOCK
    if not rule.recurrence:
        return None
    if not _is_recurrence(rule.recurrence):
        return RuleProblem.RECURRENCE
    try:
        first = next(iter(_dates(rule)), None)
    except ValueError:
        return RuleProblem.RECURRENCE
    is_near = first is not None and first.date() <= rule.first_day + FIRST_OCCURRENCE_WITHIN
    return None if is_near else RuleProblem.NEVER


def days_of(rule: CalendarRule, first: date, last: date) -> tuple[date, ...]:
    """The dates of a rule from one day to another, both included; rising, each once."""
    if not rule.recurrence:
        return (rule.first_day,) if first <= rule.first_day <= last else ()
    begin, end = (datetime.combine(day, time()) for day in (first, last))
    return tuple(found.date() for found in _dates(rule).between(begin, end, inc=True))


def is_weekly(rule: CalendarRule) -> bool:
    """Whether a rule names one date in each week from its first day on."""
    said = dict(part.partition("=")[::2] for part in rule.recurrence.split(";"))
    days = said.get("BYDAY", "").split(",")
    return said.get("FREQ") == "WEEKLY" and said.get("INTERVAL", "1") == "1" and len(days) == 1


def _is_recurrence(text: str) -> bool:
    if len(text) > TEXT_MAX:
        return False
    pairs = [part.partition("=")[::2] for part in text.split(";")]
    said = dict(pairs)
    frequency = said.pop("FREQ", "")
    allowed = _PARTS.get(frequency)
    if allowed is None or len(pairs) > len(said) + 1 or {"COUNT", "UNTIL"} <= said.keys():
        return False
    return all(name in allowed and re.fullmatch(allowed[name], value) for name, value in said.items())


@lru_cache(maxsize=256)
def _dates(rule: CalendarRule) -> rrule | rruleset:
    """The dates of a rule as midnights without a zone: no change of the clocks can move them."""
    return rrulestr(rule.recurrence, dtstart=datetime.combine(rule.first_day, time()))
