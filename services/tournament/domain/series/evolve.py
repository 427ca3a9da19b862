"""How past facts change a series. Never refuses."""

from __future__ import annotations

from services.tournament.domain.series.events import Event, SeriesCreated, SeriesStopped
from services.tournament.domain.series.state import Going, NotCreated, State, Stopped


def initial() -> State:
    """A stream without facts."""
    return NotCreated()


def evolve(state: State, event: Event) -> State:
    """The state after a past fact."""
    match event:
        case SeriesCreated(series=series):
            return Going(series, event.occurred_at)
        case SeriesStopped():
            assert not isinstance(state, NotCreated), "it is created first"
            return Stopped(state.series, event.occurred_at)
