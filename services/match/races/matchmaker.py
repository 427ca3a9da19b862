"""Making races of tickets: 10 seconds after the second one, or at eight."""

from __future__ import annotations

from datetime import datetime

from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import Transaction
from services.match.domain.queueing import Queue
from services.match.domain.race.waiting import SEATS_MAX, SEATS_MIN, choose_race
from services.match.queue import store as rows
from services.match.queue.matchmaker import LAST_MOMENT, Matchmaker
from services.match.queue.store import NewMatch


class RaceMatchmaker(Matchmaker):
    """One worker on the queue of races; one race a transaction."""

    async def _choose(self, transaction: Transaction, now: datetime) -> list[NewMatch]:
        waiting = await rows.take_waiting(
            transaction.connection, Queue.RACE, now + LAST_MOMENT, 2 * SEATS_MAX
        )
        if len(waiting) < SEATS_MIN:
            return []
        accounts = [ticket.account_id for ticket in waiting]
        met = await rows.last_opponents(transaction.connection, Queue.RACE, accounts)
        table = choose_race(waiting, met, now)
        return [NewMatch(uuid7(now, self._randomness(RANDOM_BYTES)), table)] if table else []
