"""The days on which boards count."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

ROMANIA = ZoneInfo("Europe/Bucharest")


def romanian_day(at: datetime) -> date:
    """Return the civil date in Romania at an instant."""
    return at.astimezone(ROMANIA).date()
