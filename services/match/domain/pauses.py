"""Times in which nobody could play, taken out of a clock: the anchor it counts from moves on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which no replica of the service was there."""

    since: datetime
    until: datetime


def moved_on(anchor: datetime, outage: Outage) -> datetime:
    """The anchor of a clock with an outage taken out: as much of it as lies after the anchor."""
    if anchor >= outage.until:
        return anchor
    return anchor + (outage.until - max(outage.since, anchor))


def overlapping(outages: Iterable[Outage], done: datetime, now: datetime) -> list[Outage]:
    """What lies after `done` of the outages that began before `now`, earliest first, no instant twice."""
    found: list[Outage] = []
    for outage in sorted(outages, key=lambda each: each.since):
        since = max(outage.since, done)
        if since < min(outage.until, now):
            found.append(Outage(since, outage.until))
            done = outage.until
    return found


def clock_since(started_at: datetime, outages: Iterable[Outage], now: datetime) -> datetime:
    """Where a clock counts from that started then, with everything until now taken out."""
    since = started_at
    for outage in overlapping(outages, started_at, now):
        since = moved_on(since, outage)
    return since
