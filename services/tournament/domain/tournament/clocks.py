"""When things are due in a tournament."""

from __future__ import annotations

from datetime import datetime

from services.tournament.domain.tournament.state import (
    Break,
    NotScheduled,
    Playing,
    Registering,
    Scheduled,
    State,
)


def next_deadline(state: State) -> datetime | None:
    """The earliest deadline; None where time decides nothing more."""
    match state:
        case Scheduled(field=field):
            return field.plan.opens_at
        case Registering(field=field):
            return field.plan.starts_at
        case Playing(field=field):
            return field.plan.ends_at
        case Break(field=field, next_at=next_at) if next_at is not None:
            return min(next_at, field.plan.ends_at)
        case _:
            return None


def due(state: State, now: datetime) -> datetime | None:
    """The earliest deadline that is due at `now`, or was by the last fact where a clock is behind that."""
    deadline = next_deadline(state)
    if deadline is None or isinstance(state, NotScheduled):
        return None
    return deadline if deadline <= max(now, state.field.last_at) else None
