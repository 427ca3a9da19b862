"""Words of a series."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from services.tournament.domain.calendar import rules as calendar
from services.tournament.domain.calendar.rules import CalendarRule, RuleProblem
from services.tournament.domain.tournament import terms as words
from services.tournament.domain.tournament.terms import Kind, Terms, TermsProblem


@dataclass(frozen=True, slots=True)
class Series:
    """Tournaments that are alike, one on each date of a rule; nothing of it changes once it is created."""

    series_id: UUID
    rule: CalendarRule
    terms: Terms


def problem_of(series: Series) -> RuleProblem | TermsProblem | None:
    """The first thing with which there is no such series; None where there is. Champions meet weekly."""
    problem = calendar.problem_of(series.rule) or words.problem_of(series.terms)
    if problem is None and series.terms.kind is Kind.CHAMPIONS and not calendar.is_weekly(series.rule):
        return RuleProblem.RECURRENCE
    return problem
