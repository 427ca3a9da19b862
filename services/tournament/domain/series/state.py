"""The state of a series: a union of shapes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.tournament.domain.series.terms import Series


@dataclass(frozen=True, slots=True)
class NotCreated:
    """A stream without facts."""


@dataclass(frozen=True, slots=True)
class Going:
    """Occurrences are scheduled ahead."""

    series: Series
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Stopped:
    """No more are."""

    series: Series
    last_at: datetime


State = NotCreated | Going | Stopped
