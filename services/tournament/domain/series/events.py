"""Past facts of a series. Its occurrences are tournaments with streams of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.tournament.domain.series.terms import Series


@dataclass(frozen=True, slots=True)
class SeriesCreated:
    """Occurrences are scheduled from now on."""

    series: Series
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeriesStopped:
    """None are scheduled any more; those that are take place."""

    occurred_at: datetime


Event = SeriesCreated | SeriesStopped
"""All facts of a series."""
