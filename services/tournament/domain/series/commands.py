"""Orders of operators to a series."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.tournament.domain.series.terms import Series


@dataclass(frozen=True, slots=True)
class CreateSeries:
    """Let its occurrences take place."""

    series: Series
    at: datetime


@dataclass(frozen=True, slots=True)
class StopSeries:
    """Schedule no more of them."""

    at: datetime


Command = CreateSeries | StopSeries
