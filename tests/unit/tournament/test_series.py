"""Series: rules with terms, occurrences scheduled ahead, once each."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

import pytest

from services.tournament.domain.calendar.rules import CalendarRule, RuleProblem
from services.tournament.domain.series.commands import CreateSeries, StopSeries
from services.tournament.domain.series.decide import Refusal, decide, plans_ahead
from services.tournament.domain.series.events import SeriesCreated, SeriesStopped
from services.tournament.domain.series.evolve import evolve, initial
from services.tournament.domain.series.state import Going
from services.tournament.domain.series.terms import Series, problem_of
from services.tournament.domain.tournament.terms import TermsProblem
from tests.support.tournaments import CHAMPIONS, TERMS

SUNDAYS = CalendarRule(date(2026, 3, 1), time(20), "FREQ=WEEKLY;BYDAY=SU")
WEEKLY = Series(UUID(int=0x5E), SUNDAYS, CHAMPIONS)
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def test_a_series_is_created_and_stopped_once() -> None:
    """A repeat changes nothing; what is stopped stays so."""
    (created,) = decided = decide(CreateSeries(WEEKLY, NOW), initial())
    assert decided == [SeriesCreated(WEEKLY, NOW)]
    assert isinstance(created, SeriesCreated)
    going = evolve(initial(), created)
    assert decide(CreateSeries(WEEKLY, NOW), going) == []
    assert decide(StopSeries(NOW - timedelta(1)), going) == [SeriesStopped(NOW)]

    stopped = evolve(going, SeriesStopped(NOW))
    assert decide(StopSeries(NOW), stopped) == []
    assert decide(CreateSeries(WEEKLY, NOW), stopped) == []
    assert decide(StopSeries(NOW), initial()) is Refusal.NOT_FOUND


@pytest.mark.parametrize(
    ("series", "problem"),
    [
        (replace(WEEKLY, rule=replace(SUNDAYS, recurrence="FREQ=WEEKLY")), None),
        (replace(WEEKLY, terms=TERMS, rule=replace(SUNDAYS, recurrence="")), None),
        (replace(WEEKLY, rule=replace(SUNDAYS, recurrence="FREQ=HOURLY")), RuleProblem.RECURRENCE),
        (replace(WEEKLY, terms=replace(CHAMPIONS, minimum=2)), TermsProblem.CHAMPIONS),
        (replace(WEEKLY, rule=replace(SUNDAYS, recurrence="")), RuleProblem.RECURRENCE),
        (replace(WEEKLY, rule=replace(SUNDAYS, recurrence="FREQ=DAILY")), RuleProblem.RECURRENCE),
        (
            replace(WEEKLY, rule=replace(SUNDAYS, recurrence="FREQ=WEEKLY;BYDAY=SA,SU")),
            RuleProblem.RECURRENCE,
        ),
        (
            replace(WEEKLY, rule=replace(SUNDAYS, recurrence="FREQ=WEEKLY;INTERVAL=2")),
            RuleProblem.RECURRENCE,
        ),
    ],
)
def test_champions_meet_weekly_and_others_by_any_rule(
    series: Series, problem: RuleProblem | TermsProblem | None
) -> None:
    """Rule and terms are judged before anything is scheduled."""
    assert problem_of(series) is problem
    assert (decide(CreateSeries(series, NOW), initial()) is Refusal.FIELD_INVALID) == (problem is not None)


def test_occurrences_are_planned_ahead_with_the_terms_of_the_series() -> None:
    """Across the change of the clocks: 18:00 UTC, then 17:00."""
    first, second = plans_ahead(Going(WEEKLY, NOW), NOW)

    assert [plan.day for plan in (first, second)] == [date(2026, 3, 22), date(2026, 3, 29)]
    assert [plan.starts_at.hour for plan in (first, second)] == [18, 17]
    assert {plan.series_id for plan in (first, second)} == {WEEKLY.series_id}
    assert first.terms == CHAMPIONS


def test_planning_again_names_the_same_tournaments() -> None:
    """By rule and date, whoever plans and when."""
    early, late = (
        {plan.day: plan.tournament_id for plan in plans_ahead(Going(WEEKLY, NOW), now)}
        for now in (NOW, NOW + timedelta(days=5))
    )

    assert early[date(2026, 3, 29)] == late[date(2026, 3, 29)]
    assert len({*early.values(), *late.values()}) == 3


def test_what_is_stopped_plans_nothing() -> None:
    """Tournaments that are scheduled take place all the same."""
    stopped = evolve(Going(WEEKLY, NOW), SeriesStopped(NOW))

    assert plans_ahead(stopped, NOW) == plans_ahead(initial(), NOW) == ()
