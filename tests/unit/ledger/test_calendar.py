"""Facts about Romanian ledger days."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from services.ledger.domain.calendar import FIRST_DAY, LAST_DAY, ONE_DAY, day_end, day_start, ledger_day
from services.ledger.domain.windows import Board, monday, window_on

MICROSECOND = timedelta(microseconds=1)


def utc(text: str) -> datetime:
    """Read an ISO instant."""
    return datetime.fromisoformat(text).astimezone(UTC)


def naive_day(instant: datetime) -> date:
    """The plain definition: the civil date that the zone's clock shows."""
    return instant.astimezone(ZoneInfo("Europe/Bucharest")).date()


def test_every_midnight_from_2024_to_2030_parts_two_days_to_the_microsecond() -> None:
    """Around each midnight the table agrees with the zone's own clock, 1 µs, 1 s and 1 h to both sides."""
    day = date(2024, 1, 1)
    while day < date(2031, 1, 1):
        midnight = day_start(day)
        for distance in (MICROSECOND, timedelta(seconds=1), timedelta(hours=1)):
            assert ledger_day(midnight - distance) == naive_day(midnight - distance) == day - ONE_DAY
            assert ledger_day(midnight + distance) == naive_day(midnight + distance) == day
        assert ledger_day(midnight) == naive_day(midnight) == day
        day += ONE_DAY


def test_days_are_contiguous_and_rise_through_the_whole_calendar() -> None:
    """Each day ends where the next begins, is never empty, and begins on its own civil date."""
    day = FIRST_DAY
    while day < LAST_DAY:
        assert day_start(day) < day_end(day) == day_start(day + ONE_DAY)
        assert ledger_day(day_start(day)) == day == naive_day(day_start(day))
        day += ONE_DAY


@pytest.mark.parametrize(
    ("day", "start", "end", "hours"),
    [
        (date(2026, 3, 29), "2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z", 23),
        (date(2026, 10, 25), "2026-10-24T21:00:00Z", "2026-10-25T22:00:00Z", 25),
        (date(2026, 11, 29), "2026-11-28T22:00:00Z", "2026-11-29T22:00:00Z", 24),
    ],
)
def test_days_on_which_the_clocks_change_last_23_and_25_hours(
    day: date, start: str, end: str, hours: int
) -> None:
    """Both changes of 2026, and an ordinary day."""
    assert (day_start(day), day_end(day)) == (utc(start), utc(end))
    assert day_end(day) - day_start(day) == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        ("2026-03-29T20:59:59.999999Z", date(2026, 3, 29)),
        ("2026-03-29T20:59:59Z", date(2026, 3, 29)),
        ("2026-03-29T21:00:00Z", date(2026, 3, 30)),
        ("2026-10-24T21:00:00Z", date(2026, 10, 25)),
        ("2026-10-25T21:59:59.999999Z", date(2026, 10, 25)),
    ],
)
def test_daily_reset_does_not_move_by_an_hour_when_the_clocks_change(instant: str, day: date) -> None:
    """Scenarios O1 and E61: a result belongs to the Romanian day of its instant."""
    assert ledger_day(utc(instant)) == day


def test_sixty_weeks_across_clock_changes_start_on_monday_midnight_and_meet() -> None:
    """Scenario O2: windows are contiguous and last 167, 168 or 169 hours."""
    day, lengths = date(2026, 9, 28), set()
    for _ in range(60):
        window = window_on(Board.WEEKLY, day)
        local = window.start.astimezone(ZoneInfo("Europe/Bucharest"))
        assert (local.isoweekday(), local.hour, local.minute) == (1, 0, 0)
        assert window.end == window_on(Board.WEEKLY, day + timedelta(days=7)).start
        lengths.add((window.end - window.start) // timedelta(hours=1))
        day += timedelta(days=7)

    assert lengths == {167, 168, 169}


@pytest.mark.parametrize("instant", ["1979-05-26T21:59:59Z", "1979-05-26T22:00:00Z", "1993-03-27T22:00:00Z"])
def test_a_gap_that_swallows_midnight_counts_no_day_twice(instant: str) -> None:
    """Scenario E62: where the clocks jumped at 00:00 the day begins at the jump, once."""
    before, after = utc(instant) - MICROSECOND, utc(instant)
    assert (ledger_day(before), ledger_day(after)) == (naive_day(before), naive_day(after))


def test_sunday_shows_this_week_and_a_53_week_year_turns_on_a_monday() -> None:
    """Scenario E64: weeks run Monday to Sunday; 2026-W53 spans the years."""
    sunday = ledger_day(utc("2026-11-29T21:59:00Z"))
    assert window_on(Board.WEEKLY, sunday).first_day == date(2026, 11, 23)
    assert {monday(date(2026, 12, 28) + timedelta(days=n)) for n in range(7)} == {date(2026, 12, 28)}
    assert date(2026, 12, 28).isocalendar().week == 53
    assert monday(date(2027, 1, 4)) == date(2027, 1, 4)


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (date(2024, 2, 29), date(2023, 3, 2)),
        (date(2025, 2, 27), date(2024, 2, 29)),
        (date(2025, 2, 28), date(2024, 3, 1)),
        (date(2026, 11, 29), date(2025, 11, 30)),
    ],
)
def test_amr_counts_today_and_the_364_days_before(today: date, first: date) -> None:
    """A year is 365 days here, with or without a 29 February."""
    window = window_on(Board.AMR, today)
    assert (window.first_day, window.last_day) == (first, today)


def test_the_zone_comes_from_the_pinned_wheel_whatever_the_machine_says() -> None:
    """With the search path pointing nowhere and the variable pointing astray, the days are the same."""
    program = (
        "import zoneinfo; zoneinfo.reset_tzpath(to=[]); from datetime import date;"
        "from services.ledger.domain.calendar import day_start; print(day_start(date(2026, 3, 30)))"
    )
    environment = {"PYTHONTZPATH": "/nonexistent"}
    output = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout

    assert output.strip() == "2026-03-29 21:00:00+00:00"
