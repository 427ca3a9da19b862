"""Instants as people type them: a Romanian day, or a date and time with its zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from services.ledger.domain.calendar import FIRST_DAY, LAST_DAY, day_start

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_instant(text: str) -> datetime:
    """Return the instant in UTC; of a day, its first in Romania. Raises ValueError, saying what is meant."""
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text)
            if FIRST_DAY <= day <= LAST_DAY:
                return day_start(day)
        else:
            instant = datetime.fromisoformat(text)
            if instant.tzinfo is not None:
                return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError('a Romanian day such as "2026-11-30", or an instant such as "2026-11-30T12:00:00Z"')


def instant_text(instant: datetime) -> str:
    """Return a UTC instant in its one written form: to the microsecond, with Z."""
    assert instant.tzinfo is UTC, "instants are UTC"
    return f"{instant.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
