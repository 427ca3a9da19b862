"""When facts may be shown to those who do not play."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from libs.eventsourcing.envelope import RecordedEvent


def known_at(command: Iterable[RecordedEvent], before: datetime | None) -> datetime:
    """When the facts of one command were known to everybody who was there, none earlier than those `before`.

    A deadline's facts occurred at it, but nobody knew of them until they were recorded; a clock that lags
    behind may record a fact before it occurred. It follows from the log alone, so every process shows the
    same at the same instant.
    """
    instants = [instant for event in command for instant in (event.occurred_at, event.recorded_at)]
    return max(instants if before is None else [*instants, before])
