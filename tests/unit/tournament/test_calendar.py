"""When tournaments take place: Romanian civil time, changes of the clocks, rules that are none."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

import pytest

from libs.rules.romania import first_instant
from services.tournament.domain.calendar.occurrences import due_ahead, occurrence_id, occurrences
from services.tournament.domain.calendar.rules import CalendarRule, RuleProblem, days_of, problem_of
from services.tournament.domain.calendar.weeks import week_of

EVENING = time(20)
SERIES = UUID(int=0x5E)


def utc(text: str) -> datetime:
    """Read an instant."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def starts(rule: CalendarRule, first: str, last: str) -> list[str]:
    """The starts on the dates of a range, in UTC."""
    found = occurrences(rule, date.fromisoformat(first), date.fromisoformat(last))
    return [f"{each.starts_at:%Y-%m-%d %H:%M}" for each in found]


def test_eight_in_the_evening_stays_eight_in_the_evening_through_both_changes() -> None:
    """18:00 UTC in winter, 17:00 in summer."""
    rule = CalendarRule(date(2026, 1, 1), EVENING, "FREQ=DAILY")

    assert starts(rule, "2026-03-28", "2026-03-29") == ["2026-03-28 18:00", "2026-03-29 17:00"]
    assert starts(rule, "2026-10-24", "2026-10-25") == ["2026-10-24 17:00", "2026-10-25 18:00"]


def test_a_start_in_the_missing_hour_moves_to_the_first_instant_that_exists() -> None:
    """2026-03-29 03:30 does not exist: the clocks go from 02:59:59 to 04:00, at 01:00 UTC."""
    rule = CalendarRule(date(2026, 3, 28), time(3, 30), "FREQ=DAILY")

    assert starts(rule, "2026-03-28", "2026-03-30") == [
        "2026-03-28 01:30",
        "2026-03-29 01:00",
        "2026-03-30 00:30",
    ]


def test_a_start_in_the_doubled_hour_takes_the_first_of_the_two() -> None:
    """2026-10-25 03:30 comes at 00:30 and at 01:30 UTC; there is one occurrence."""
    rule = CalendarRule(date(2026, 10, 24), time(3, 30), "FREQ=DAILY")

    assert starts(rule, "2026-10-24", "2026-10-26") == [
        "2026-10-24 00:30",
        "2026-10-25 00:30",
        "2026-10-26 01:30",
    ]


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (time(2, 59), "2026-03-29T00:59"),
        (time(3), "2026-03-29T01:00"),
        (time(3, 59), "2026-03-29T01:00"),
        (time(4), "2026-03-29T01:00"),
        (time(4, 1), "2026-03-29T01:01"),
    ],
)
def test_around_the_missing_hour_starts_rise_with_the_clock(clock: time, expected: str) -> None:
    """The hour is one instant."""
    assert first_instant(date(2026, 3, 29), clock) == utc(expected)


@pytest.mark.parametrize(
    ("recurrence", "days"),
    [
        ("", [1]),
        ("FREQ=DAILY;INTERVAL=10", [1, 11, 21]),
        ("FREQ=WEEKLY;BYDAY=SA,SU", [1, 7, 8, 14, 15, 21, 22, 28, 29]),
        ("FREQ=WEEKLY;BYDAY=MO;INTERVAL=2", [9, 23]),
        ("FREQ=MONTHLY;BYDAY=-1FR", [27]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", [2]),
        ("FREQ=MONTHLY;BYMONTHDAY=-2,15", [15, 29]),
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=30", [30]),
        ("FREQ=DAILY;COUNT=3", [1, 2, 3]),
        ("FREQ=DAILY;UNTIL=20261104", [1, 2, 3, 4]),
    ],
)
def test_a_rule_names_the_dates_of_the_calendar_standard(recurrence: str, days: list[int]) -> None:
    """In November 2026, which begins with a Sunday. The first day counts only where it is named."""
    rule = CalendarRule(date(2026, 11, 1), EVENING, recurrence)

    assert problem_of(rule) is None
    assert [day.day for day in days_of(rule, date(2026, 11, 1), date(2026, 11, 30))] == days


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=HOURLY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;BYHOUR=20,21",
        "FREQ=DAILY;UNTIL=20261131",
        "FREQ=DAILY;COUNT=3;UNTIL=20261104",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=WEEKLY;BYDAY=2SU",
        "FREQ=WEEKLY;BYDAY=",
        "FREQ=WEEKLY;BYDAY=SU;BYDAY=MO",
        "FREQ=MONTHLY;BYMONTHDAY=99",
        "BYDAY=SU",
        "every Sunday",
        "FREQ=DAILY\nEXDATE:20261101T000000",
        "FREQ=DAILY;" + "X" * 200,
    ],
)
def test_what_is_no_recurrence_of_whole_days_is_refused(recurrence: str) -> None:
    """Among them what would never end, and what would come twice on a date."""
    assert problem_of(CalendarRule(date(2026, 11, 1), EVENING, recurrence)) is RuleProblem.RECURRENCE


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (CalendarRule(date(1999, 12, 31), EVENING), RuleProblem.FIRST_DAY),
        (CalendarRule(date(2100, 1, 1), EVENING), RuleProblem.FIRST_DAY),
        (CalendarRule(date(2026, 1, 1), time(20, tzinfo=UTC)), RuleProblem.CLOCK),
        (CalendarRule(date(2026, 1, 1), time(20, 0, 1)), RuleProblem.CLOCK),
        (CalendarRule(date(2026, 1, 1), EVENING, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"), RuleProblem.NEVER),
        (CalendarRule(date(2026, 1, 1), EVENING, "FREQ=DAILY;UNTIL=20251231"), RuleProblem.NEVER),
    ],
)
def test_a_rule_without_a_date_or_a_time_of_day_is_refused(rule: CalendarRule, problem: RuleProblem) -> None:
    """By what is wrong with it."""
    assert problem_of(rule) is problem


def test_a_leap_day_may_be_eight_years_away() -> None:
    """2096 has one, 2100 has none."""
    rule = CalendarRule(date(2096, 3, 1), EVENING, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29")

    assert problem_of(rule) is None
    assert days_of(rule, date(2096, 3, 1), date(2105, 1, 1)) == (date(2104, 2, 29),)


def test_occurrences_are_created_ahead_and_named_by_rule_and_date() -> None:
    """What starts now is not ahead; what starts in 14 days is."""
    rule = CalendarRule(date(2026, 1, 1), EVENING, "FREQ=WEEKLY;BYDAY=SU")
    now = utc("2026-11-01T18:00")

    assert [each.day for each in due_ahead(rule, now)] == [date(2026, 11, 8), date(2026, 11, 15)]
    assert [each.day for each in due_ahead(rule, now - timedelta(seconds=1))] == [
        date(2026, 11, 1),
        date(2026, 11, 8),
    ]
    assert occurrence_id(SERIES, date(2026, 11, 8)) == occurrence_id(SERIES, date(2026, 11, 8))
    assert occurrence_id(SERIES, date(2026, 11, 8)) != occurrence_id(SERIES, date(2026, 11, 15))
    assert occurrence_id(SERIES, date(2026, 11, 8)) != occurrence_id(UUID(int=1), date(2026, 11, 8))


def test_sixty_weeks_are_contiguous_and_begin_on_mondays_at_midnight() -> None:
    """O2: across both changes of the clocks a week has 167, 168 or 169 hours."""
    week = week_of(utc("2026-03-01T12:00"))
    hours = set()
    for _ in range(60):
        following = week_of(week.until)
        hours.add((week.until - week.since) // timedelta(hours=1))
        assert (following.since, following.monday) == (week.until, week.monday + timedelta(days=7))
        assert following.since == first_instant(following.monday, time())
        week = following

    assert hours == {167, 168, 169}
