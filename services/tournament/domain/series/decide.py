"""What an order to a series brings about, and which of its occurrences are to be scheduled."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from services.tournament.domain.calendar.occurrences import AHEAD, due_ahead, occurrence_id
from services.tournament.domain.series.commands import Command, CreateSeries, StopSeries
from services.tournament.domain.series.events import Event, SeriesCreated, SeriesStopped
from services.tournament.domain.series.state import Going, NotCreated, State, Stopped
from services.tournament.domain.series.terms import problem_of
from services.tournament.domain.tournament.words import Plan


class Refusal(StrEnum):
    """Reasons of the error table."""

    NOT_FOUND = "NOT_FOUND"
    """No such series."""
    FIELD_INVALID = "FIELD_INVALID"
    """A rule or terms with which there is none."""


def decide(command: Command, state: State) -> list[Event] | Refusal:
    """The facts that an order brings about; none for one that has been carried out already."""
    match command:
        case CreateSeries(series=series):
            if not isinstance(state, NotCreated):
                return []
            if problem_of(series) is not None:
                return Refusal.FIELD_INVALID
            return [SeriesCreated(series, command.at)]
        case StopSeries():
            if isinstance(state, NotCreated):
                return Refusal.NOT_FOUND
            return [] if isinstance(state, Stopped) else [SeriesStopped(max(command.at, state.last_at))]


def plans_ahead(state: State, now: datetime, ahead: timedelta = AHEAD) -> tuple[Plan, ...]:
    """The tournaments of a series that start within `ahead`, in their order.

    Asked by whoever and however often, each is the same tournament with the same id: scheduling it again
    changes nothing.
    """
    if not isinstance(state, Going):
        return ()
    series = state.series
    return tuple(
        Plan(
            occurrence_id(series.series_id, each.day),
            series.terms,
            each.starts_at,
            series.series_id,
            each.day,
        )
        for each in due_ahead(series.rule, now, ahead)
    )
