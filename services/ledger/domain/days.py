"""Which days are over and not yet closed: what a midnight owes to the journal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from uuid import UUID

from libs.eventsourcing.ids import derived_id
from services.ledger.domain.calendar import ONE_DAY, day_end, ledger_day


def days_to_close(as_of_day: date | None, now: datetime) -> Iterator[date]:
    """Yield the days to close at `now`, in order. On a fresh ledger yesterday is: that opens the boards."""
    today = ledger_day(now)
    day = today - ONE_DAY if as_of_day is None else as_of_day
    while day < today:
        yield day
        day += ONE_DAY


def closing_stream(day: date) -> UUID:
    """Return the stream of a day's closing: derived from the day, so that it is closed once."""
    return derived_id(day_end(day), "ledger day", day.isoformat())
