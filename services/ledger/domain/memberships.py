"""Memberships of clubs: from joining, counted, to leaving, not counted, by instant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from services.ledger.domain.calendar import ONE_DAY, day_end, day_start, ledger_day
from services.ledger.domain.windows import Window


@dataclass(frozen=True, slots=True)
class Joined:
    """A player came in; `version` is the fact's in the stream of the player and the club."""

    club: UUID
    account: UUID
    version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Left:
    """A player is out."""

    club: UUID
    account: UUID
    version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Interval:
    """One membership: the instants t with joined_at <= t < left_at; without end while it lasts."""

    account: str
    joined_at: datetime
    left_at: datetime | None


class Days(NamedTuple):
    """Days that lie inside a membership as a whole, both ends counted."""

    first: date
    last: date


class Edge(NamedTuple):
    """A day that a membership shares in part: what occurred from `start` on and before `end` counts."""

    day: date
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Share:
    """What a membership sees of a window."""

    is_all: bool  # the whole window
    days: Days | None
    edges: tuple[Edge, ...]


def share_of(interval: Interval, window: Window) -> Share | None:
    """Return what of a window lies inside a membership; None when nothing does."""
    start = max(interval.joined_at, window.start)
    end = window.end if interval.left_at is None else min(interval.left_at, window.end)
    if start >= end:
        return None
    if (start, end) == (window.start, window.end):
        return Share(is_all=True, days=Days(window.first_day, window.last_day), edges=())
    first, last = ledger_day(start), ledger_day(end)
    edges: list[Edge] = []
    if start > day_start(first):
        edges.append(Edge(first, start, min(end, day_end(first))))
        first += ONE_DAY
    if first <= last and end > day_start(last):
        edges.append(Edge(last, day_start(last), end))
    last -= ONE_DAY
    return Share(is_all=False, days=Days(first, last) if first <= last else None, edges=tuple(edges))
