"""Times in which nobody could play, taken out of a clock: the anchor it counts from moves on."""

from __future__ import annotations

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


def unsettled(outages: tuple[Outage, ...], done: datetime, now: datetime) -> list[Outage]:
    """What is over at `now` and lies after `done`, earliest first, no instant twice."""
    found: list[Outage] = []
    for outage in sorted(outages, key=lambda each: each.since):
        since = max(outage.since, done)
        if since < outage.until <= now:
            found.append(Outage(since, outage.until))
            done = outage.until
    return found
