"""Boards around midnights, held to a model that recomputes everything for each question."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from services.ledger.domain.boards import DAY_POINTS_MAX, Boards
from services.ledger.domain.windows import Board, sheet_on
from services.ledger.events import LedgerDayClosed
from tests.support.naive_boards import (
    Question,
    Result,
    around_midnights,
    compare,
    fact_of,
    midnight,
    shown,
)

NOON = timedelta(hours=12)
MICROSECOND = timedelta(microseconds=1)


@pytest.mark.parametrize("year", range(2024, 2031))
def test_boards_around_every_midnight_are_those_of_the_model(year: int) -> None:
    """Results 1 h, 1 s and 1 µs to both sides of it, late ones, both changes of the clocks, leap years."""
    compare(around_midnights(date(year - 1, 1, 1), date(year, 12, 31)))


def at_noon(day: date, account: str = "ana", points: int = 20) -> Result:
    """Return a result that is known at once."""
    return Result(account, points, midnight(day) + NOON, midnight(day) + NOON)


def year_sheet(days: list[date], results: list[Result]) -> list[bool]:
    """Return whether the year lists ana at the end of each day; the model agrees everywhere."""
    asked = [Question(midnight(day + timedelta(days=1)) - MICROSECOND) for day in days]
    steps: list[Result | Question] = [*results, *asked]
    steps.sort(key=lambda step: step.posted_at if isinstance(step, Result) else step.as_of)
    compare(steps)
    listed = []
    for day in days:
        until = midnight(day + timedelta(days=1)) - MICROSECOND
        boards = compare([*(r for r in results if r.posted_at <= until), Question(until)])
        listed.append(any(account == "ana" for _, account, _ in shown(boards)[0]))
    return listed


def test_29_february_counts_for_365_days() -> None:
    """In from its own day to 27 February of the next year, out on the 28th."""
    days = [date(2028, 2, 28), date(2028, 2, 29), date(2028, 3, 1), date(2029, 2, 27), date(2029, 2, 28)]

    assert year_sheet(days, [at_noon(date(2028, 2, 29))]) == [False, True, True, True, False]


def test_a_year_that_ends_on_29_february_begins_on_2_march() -> None:
    """The day before it is out; a window over a leap day begins a civil day later than one without."""
    shown_on = [date(2028, 2, 29)]

    assert year_sheet(shown_on, [at_noon(date(2027, 3, 1))]) == [False]
    assert year_sheet(shown_on, [at_noon(date(2027, 3, 2))]) == [True]
    assert year_sheet([date(2028, 2, 28)], [at_noon(date(2027, 3, 1))]) == [True]


def test_a_week_goes_on_over_the_turn_of_a_53_week_year() -> None:
    """28 December 2026 to 3 January 2027 is one week; 4 January begins another."""
    results = [at_noon(day) for day in (date(2026, 12, 28), date(2026, 12, 31), date(2027, 1, 3))]
    steps: list[Result | Question] = [*results, Question(midnight(date(2027, 1, 4)) - MICROSECOND)]
    boards = compare(steps)
    assert shown(boards)[1] == [(1, "ana", 60)]

    assert shown(compare([*results, Question(midnight(date(2027, 1, 4)))]))[1] == []


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)], ids=["23 hours", "25 hours"])
def test_a_day_of_another_length_holds_all_its_hours(day: date) -> None:
    """A result every half hour, from one before the day to one after it."""
    start, end = midnight(day), midnight(day + timedelta(days=1))
    instants = [
        start + timedelta(minutes=30 * at) for at in range(-1, (end - start) // timedelta(minutes=30) + 1)
    ]
    steps: list[Result | Question] = []
    for instant in instants:
        steps += [Result("ana", 20, instant, instant), Question(instant)]
    compare(steps)

    held = shown(compare([*(s for s in steps if isinstance(s, Result)), Question(end - MICROSECOND)]))
    assert held[2] == [(1, "ana", 20 * ((end - start) // timedelta(minutes=30)))]


def test_missed_midnights_are_made_up_for_in_order() -> None:
    """Nobody asks for three days, then for thirteen months: results in between stand where they belong."""
    days = [date(2026, 1, 1) + timedelta(days=days) for days in range(0, 400, 7)]
    asked = [Question(midnight(date(2026, 1, 5))), Question(midnight(date(2027, 2, 6)))]
    steps: list[Result | Question] = [*map(at_noon, days), *asked]
    compare(sorted(steps, key=lambda step: step.posted_at if isinstance(step, Result) else step.as_of))


def test_a_year_of_the_most_that_a_day_holds_fits_64_bits() -> None:
    """Both ways, to the point; one point more than a day holds is refused as a whole."""
    boards = Boards()
    first = date(2026, 1, 1)
    for day in (first + timedelta(days=days) for days in range(365)):
        boards.fold(1, LedgerDayClosed(day - timedelta(days=1)))
        boards.fold(2, fact_of(at_noon(day, "ana", DAY_POINTS_MAX)))
        boards.fold(3, fact_of(at_noon(day, "bob", -DAY_POINTS_MAX)))
        boards.fold(4, fact_of(at_noon(day, "ana", 1)))
    year = boards.sheets[sheet_on(Board.AMR, first)]

    assert year == {"ana": 365 << 53, "bob": -365 << 53}
    assert max(map(abs, year.values())) < 1 << 62
    assert boards.refused == [4] * 365
    assert len(boards.postings) == 2 * 365
    assert isinstance(boards.postings[0].occurred_at, datetime)
