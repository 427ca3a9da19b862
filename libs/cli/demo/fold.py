"""The naive fold: what the boards must show, summed up from the acknowledged results alone.

It shares no code with the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date

from libs.cli.demo.days import romanian_day
from libs.cli.demo.journal import Acknowledged


def points_between(results: Iterable[Acknowledged], first_day: date, last_day: date) -> dict[str, int]:
    """Return the points of each player for results of these days, both included; none for players without."""
    points: Counter[str] = Counter()
    for acknowledged in results:
        if first_day <= romanian_day(acknowledged.at) <= last_day:
            points[acknowledged.player] += acknowledged.result.points
    return {player: total for player, total in points.items() if total}
