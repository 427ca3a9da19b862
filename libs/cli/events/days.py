"""The table of Romanian midnights that ships with every export."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Final

from services.ledger.domain.calendar import ONE_DAY, day_end, day_start

FIRST: Final = date(2020, 1, 1)
LAST: Final = date(2050, 12, 31)
HOUR: Final = timedelta(hours=1)


def write_days(path: Path) -> None:
    """Write every day from FIRST to LAST: its first instant in UTC, that of the next day, and its hours."""
    lines = ["day,starts_at,ends_at,hours"]
    day = FIRST
    while day <= LAST:
        starts_at, ends_at = day_start(day), day_end(day)
        hours = (ends_at - starts_at) // HOUR
        lines.append(f"{day},{starts_at:%Y-%m-%dT%H:%M:%SZ},{ends_at:%Y-%m-%dT%H:%M:%SZ},{hours}")
        day += ONE_DAY
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
