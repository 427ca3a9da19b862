"""Occurrences from 2024 to 2030 against plain definitions that share nothing with the calendar's code."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.tournament.domain.calendar.occurrences import due_ahead, occurrences
from services.tournament.domain.calendar.rules import CalendarRule, problem_of

FIRST, LAST = date(2024, 1, 1), date(2030, 12, 31)
BUCHAREST = ZoneInfo("Europe/Bucharest")
DAYS = [FIRST + timedelta(days=number) for number in range((LAST - FIRST).days + 1)]
MINUTE, NAMES = timedelta(minutes=1), ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
CHANGES = {day for day in DAYS if day.month in {3, 10} and day.weekday() == 6 and day.day > 24}

days = st.sampled_from(DAYS)
clocks = st.times(max_value=time(23, 59)).map(lambda clock: clock.replace(second=0, microsecond=0))


def plain_start(day: date, clock: time) -> datetime:
    """The first minute of the day at which a clock in Romania shows that time or a later one."""
    instant = datetime.combine(day, time(), UTC) - timedelta(hours=4)
    while True:
        shown = instant.astimezone(BUCHAREST)
        if shown.date() == day and shown.time() >= clock:
            return instant
        instant += MINUTE


@st.composite
def rules(draw: st.DrawFn) -> tuple[CalendarRule, Callable[[date], bool]]:
    """A rule, and what a date has to be like for it."""
    first = draw(days)
    every = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["once", "daily", "weekly", "monthday", "last", "yearly"]))
    weekday = draw(st.integers(0, 6))
    monday = first - timedelta(days=first.weekday())
    texts: dict[str, tuple[str, Callable[[date], bool]]] = {
        "once": ("", lambda day: day == first),
        "daily": (f"FREQ=DAILY;INTERVAL={every}", lambda day: (day - first).days % every == 0),
        "weekly": (
            f"FREQ=WEEKLY;INTERVAL={every};BYDAY={NAMES[weekday]}",
            lambda day: day.weekday() == weekday and (day - monday).days // 7 % every == 0,
        ),
        "monthday": ("FREQ=MONTHLY;BYMONTHDAY=31", lambda day: day.day == 31),
        "last": (
            f"FREQ=MONTHLY;BYDAY=-1{NAMES[weekday]}",
            lambda day: day.weekday() == weekday and (day + timedelta(days=7)).month != day.month,
        ),
        "yearly": ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", lambda day: (day.month, day.day) == (2, 29)),
    }
    text, plainly = texts[kind]
    return CalendarRule(first, draw(clocks), text), lambda day: day >= first and plainly(day)


@settings(max_examples=150, deadline=None)
@given(rules())
def test_there_is_one_occurrence_for_each_date_that_the_rule_means(
    made: tuple[CalendarRule, Callable[[date], bool]],
) -> None:
    """On no other date, and never two."""
    rule, is_meant = made

    assert problem_of(rule) is None
    assert [each.day for each in occurrences(rule, FIRST, LAST)] == [day for day in DAYS if is_meant(day)]


@settings(max_examples=60, deadline=None)
@given(days, clocks)
@example(date(2026, 3, 29), time(3, 30))
@example(date(2026, 10, 25), time(3, 30))
@example(date(2026, 10, 25), time(4))
def test_a_start_is_the_first_minute_at_which_the_clock_shows_the_time(day: date, clock: time) -> None:
    """Missing and doubled hours are no special cases of the definition."""
    (found,) = occurrences(CalendarRule(day, clock), day, day)

    assert (found.day, found.starts_at) == (day, plain_start(day, clock))


def test_at_every_change_from_2024_to_2030_each_quarter_of_the_night_starts_once() -> None:
    """Fourteen nights, from midnight to 06:00."""
    quarters = [time(hour, minute) for hour in range(6) for minute in (0, 15, 30, 45)]
    for day in sorted(CHANGES):
        found = [occurrences(CalendarRule(day, clock, "FREQ=DAILY;COUNT=1"), day, day) for clock in quarters]
        assert [[each.starts_at for each in one] for one in found] == [
            [plain_start(day, clock)] for clock in quarters
        ]

    assert len(CHANGES) == 14


@settings(max_examples=60, deadline=None)
@given(rules(), st.lists(st.integers(1, 60 * 24 * 20), min_size=1, max_size=40))
def test_looking_ahead_again_and_again_names_every_start_and_none_twice(
    made: tuple[CalendarRule, Callable[[date], bool]], steps: list[int]
) -> None:
    """Whenever the scheduler looks, as long as it looks every 14 days; what is behind is not named."""
    rule, _ = made
    ahead = timedelta(days=21)
    begin = last = now = datetime.combine(rule.first_day, time(), UTC) - timedelta(days=1)
    named: dict[date, datetime] = {}
    for minutes in steps:
        for each in due_ahead(rule, now, ahead):
            assert now < each.starts_at <= now + ahead
            assert named.setdefault(each.day, each.starts_at) == each.starts_at
        last, now = now, now + timedelta(minutes=minutes)
    wanted = occurrences(rule, FIRST, date(2036, 12, 31))

    assert sorted(named) == [each.day for each in wanted if begin < each.starts_at <= last + ahead]
