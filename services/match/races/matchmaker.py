"""Making races of tickets: 10 seconds after the second one, or at eight."""

from __future__ import annotations

from datetime import datetime

from libs.rules.pairing.choosing import Met
from services.match.domain.queueing import Table, Ticket
from services.match.domain.race.waiting import choose_races
from services.match.queue.matchmaker import Matchmaker


class RaceMatchmaker(Matchmaker):
    """One worker on the queue of races."""

    def tables(self, waiting: list[Ticket], met: Met, now: datetime, *, all_are_here: bool) -> list[Table]:
        """Who races with whom now."""
        return choose_races(waiting, met, now, all_are_here=all_are_here)
