"""One player's points day by day, and what a board of a year showed of them at the end of each."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from services.ledger.domain.windows import AMR_DAYS

ONE_DAY = timedelta(days=1)


class DayEntry(NamedTuple):
    """What the fact at `seq` of the feed brought for a day."""

    seq: int
    day: date
    points: int


@dataclass(frozen=True, slots=True)
class StandingDay:
    """A day: its points as known now, and those of the year as shown at its end."""

    day: date
    points: int
    year_points: int


def standing_days(
    entries: Iterable[DayEntry], closed: Mapping[date, int], days: Sequence[date]
) -> list[StandingDay]:
    """Return consecutive days in order, the last one as shown now.

    `entries` are all those of the days and of the year before them; `closed` tells for each day that was
    shown to its end where the feed stood then. Before the first of those nothing was shown: 0.
    """
    by_seq = sorted(entries)
    known: defaultdict[date, int] = defaultdict(int)  # points by day, as far as the feed has come
    place, shown = 0, 0
    year_points: dict[date, int] = {}
    for day in days:
        end = math.inf if day == days[-1] else closed.get(day, -1)
        first = day - timedelta(days=AMR_DAYS - 1)
        shown += known[day] - known[first - ONE_DAY]  # what came early for it enters; the oldest day leaves
        while place < len(by_seq) and by_seq[place].seq <= end:
            entry = by_seq[place]
            known[entry.day] += entry.points
            shown += entry.points if first <= entry.day <= day else 0
            place += 1
        year_points[day] = shown
    return [StandingDay(day, known[day], year_points[day]) for day in days]
