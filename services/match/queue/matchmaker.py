"""Making matches of tickets: whoever has the queue's lock takes tickets, and one transaction does it all.

Any number of processes run it. A match, its seats, and what became of its tickets are committed together or
not at all, so a process may die anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

import structlog

from libs.bus.port import Bus, Message
from libs.bus.topology import queue_subject, ticket_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.pace import Pace
from libs.eventstore.port import EventStore, Transaction
from libs.eventstore.wake import Wake
from services.match.domain.queueing import Met, Queue, Seating, Table, Ticket, gather
from services.match.queue import store as rows
from services.match.queue.store import NewMatch

MATCHES_MAX: Final = 32
"""Matches of one transaction: those in it wait for its commit."""
LAST_MOMENT: Final = timedelta(seconds=1)
"""A ticket this near to its end is left alone: by another replica's clock it may have expired already."""
KEPT_FOR: Final = timedelta(days=1)
FORGET_EVERY_S: Final = 60.0
BUSY_MS: Final = 50
IDLE_MS: Final = 250

BeginMatches: TypeAlias = Callable[[Transaction, Queue, Seating, datetime], Awaitable[None]]
"""Begins matches of a queue inside the transaction, by one statement a table for all of them."""

log = structlog.get_logger(__name__)


class Matchmaker:
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
        self._store = store
        self._begin_matches = begin_matches
        self._bus = bus
        self._wake = Wake(bus, "match")
        self._now = now
        self._randomness = randomness
        self._queue = queue
        self._forget_at_s = float("-inf")

    async def run(self, stop: asyncio.Event) -> None:
        """Make matches until `stop` is set: at once when a ticket of the queue is told, else when looking."""
        pace, own = Pace(BUSY_MS, IDLE_MS), self._queue.value.encode()

        async def on_ticket(message: Message) -> None:
            if message.data == own:
                pace.nudge()

        subscription = await self._bus.subscribe(queue_subject("match"), on_ticket)
        try:
            while not stop.is_set():
                made = await self.step()
                if not made:  # else others may be waiting: look again at once
                    await pace.wait(worked=False)
        finally:
            await subscription.unsubscribe()

    async def step(self) -> int:
        """Make some matches of those who wait now; return how many. Tickets whose time is over expire."""
        new: list[NewMatch] = []
        expired: list[UUID] = []
        async with self._store.transaction() as transaction:
            if await rows.lock_queue(transaction.connection, self._queue):
                now = self._now()
                expired = await rows.expire_due(transaction.connection, now)
                chosen = await self._choose(transaction, now)
                if chosen:
                    new = await rows.take_seats(transaction.connection, chosen, now)
                if new:
                    seating = {match.match_id: match.accounts for match in new}
                    await self._begin_matches(transaction, self._queue, seating, now)
                    fault("queue.begun")
                    await rows.enter_matches(transaction.connection, self._queue, new, now)
                    fault("queue.rows_in")
                await self._forget(transaction, now)
        if new:
            fault("queue.committed")
            await self._wake.nudge()
        matched = [ticket.ticket_id for match in new for ticket in match.tickets]
        await self._tell([*matched, *expired])
        return len(new)

    async def _choose(self, transaction: Transaction, now: datetime) -> list[NewMatch]:
        limit = self._queue.seats * MATCHES_MAX
        waiting = await rows.take_waiting(transaction.connection, self._queue, now + LAST_MOMENT, limit)
        if len(waiting) < self._queue.seats_min:
            return []
        fault("queue.taken")
        accounts = [ticket.account_id for ticket in waiting]
        met = await rows.last_opponents(transaction.connection, self._queue, accounts)
        tables = self._tables(waiting, met, now, all_are_here=len(waiting) < limit)
        return [NewMatch(uuid7(now, self._randomness(RANDOM_BYTES)), table) for table in tables]

    def _tables(self, waiting: list[Ticket], met: Met, now: datetime, *, all_are_here: bool) -> list[Table]:
        """Who plays with whom now."""
        return gather(waiting, met, self._queue, now, all_are_here=all_are_here)

    async def _forget(self, transaction: Transaction, now: datetime) -> None:
        """Once a minute delete tickets that ended more than a day ago."""
        at_s = asyncio.get_running_loop().time()
        if at_s >= self._forget_at_s:
            await rows.forget_ended(transaction.connection, now - KEPT_FOR)
            self._forget_at_s = at_s + FORGET_EVERY_S

    async def _tell(self, ticket_ids: list[UUID]) -> None:
        """Tell those who watch their tickets."""
        for ticket_id in ticket_ids:
            try:
                await self._bus.send(ticket_subject(ticket_id), b"")
            except Exception as error:  # noqa: BLE001 what is committed stands; watchers look by themselves
                log.warning("queue.hint_lost", error=f"{type(error).__name__}: {error}")
