"""Making matches of the tickets of one queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Transaction
from libs.queueing.matchmaker import Matchmaking, QueueSizes
from libs.rules.pairing.choosing import Met
from services.match.domain.queueing import Queue, Seating, Table, Ticket, gather
from services.match.queue import store as rows
from services.match.queue.store import NewMatch

BeginMatches: TypeAlias = Callable[[Transaction, Queue, Seating, datetime], Awaitable[None]]
"""Begins matches of a queue inside the transaction, by one statement a table for all of them."""


class Matchmaker(Matchmaking[Ticket]):
    """One worker on one queue."""

    def __init__(
        self,
        store: EventStore,
        begin_matches: BeginMatches,
        bus: Bus,
        now: Callable[[], datetime],
        randomness: Callable[[int], bytes],
        *,
        queue: Queue,
    ) -> None:
        """Begin matches with `begin_matches`; the bus only makes it faster."""
        super().__init__("match", rows.TICKETS, store, bus, now, randomness)
        self._begin_matches = begin_matches
        self._queue = queue

    @property
    def queues(self) -> Sequence[str]:
        """The one queue."""
        return (self._queue.value,)

    @property
    def sizes(self) -> QueueSizes:
        """How many play a match."""
        return QueueSizes(self._queue.seats_min, self._queue.seats)

    def tables(self, waiting: list[Ticket], met: Met, now: datetime, *, all_are_here: bool) -> list[Table]:
        """Who plays with whom now."""
        return gather(waiting, met, self._queue, now, all_are_here=all_are_here)

    async def begin(self, transaction: Transaction, chosen: list[NewMatch], now: datetime) -> list[NewMatch]:
        """Seat players and begin matches; return those whose players were all free."""
        new = await rows.take_seats(transaction.connection, chosen, now)
        if new:
            seating = {match.match_id: match.accounts for match in new}
            await self._begin_matches(transaction, self._queue, seating, now)
        return new
