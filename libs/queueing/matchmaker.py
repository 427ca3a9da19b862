"""Making games of tickets: whoever has the queues' lock takes tickets, and one transaction does it all.

Any number of processes run it. A game, its seats, and what became of its tickets are committed together or
not at all, so a process may die anywhere.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic
from uuid import UUID

from libs.bus.port import Bus, Message
from libs.bus.topology import queue_subject, ticket_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.pace import Pace
from libs.eventstore.port import EventStore, Transaction
from libs.eventstore.wake import Wake
from libs.queueing import store as rows
from libs.queueing.hints import hint
from libs.queueing.store import TicketRows
from libs.rules.pairing.choosing import Met
from libs.rules.pairing.tickets import T

GAMES_MAX: Final = 32
"""Games of one queue in one transaction: those in it wait for its commit."""
LAST_MOMENT: Final = timedelta(seconds=1)
"""A ticket this near to its end is left alone: by another replica's clock it may have expired already."""
KEPT_FOR: Final = timedelta(days=1)
FORGET_EVERY_S: Final = 60.0
BUSY_MS: Final = 50
IDLE_MS: Final = 250


@dataclass(frozen=True, slots=True)
class NewGame(Generic[T]):
    """Tickets that become a game, in the order of its seats."""

    match_id: UUID
    tickets: tuple[T, ...]

    @property
    def accounts(self) -> tuple[UUID, ...]:
        """Who plays."""
        return tuple(ticket.account_id for ticket in self.tickets)


@dataclass(frozen=True, slots=True)
class QueueSizes:
    """How many tickets a game of a queue takes."""

    fewest: int
    most: int


class Matchmaking(ABC, Generic[T]):
    """One worker on some queues of a service."""

    def __init__(
        self,
        service: str,
        tickets: TicketRows[T],
        store: EventStore,
        bus: Bus,
        now: Callable[[], datetime],
        randomness: Callable[[int], bytes],
    ) -> None:
        """The bus only makes it faster."""
        self._service = service
        self._tickets = tickets
        self._store = store
        self._bus = bus
        self._wake = Wake(bus, service)
        self._now = now
        self._randomness = randomness
        self._forget_at_s = float("-inf")

    @property
    @abstractmethod
    def queues(self) -> Sequence[str]:
        """The queues, by one lock: that of the first one."""

    @property
    @abstractmethod
    def sizes(self) -> QueueSizes:
        """How many tickets a game of any of the queues takes."""

    @abstractmethod
    def tables(self, waiting: list[T], met: Met, now: datetime, *, all_are_here: bool) -> list[tuple[T, ...]]:
        """Who plays with whom now, of tickets of one queue in the order of arrival."""

    @abstractmethod
    async def begin(
        self, transaction: Transaction, chosen: list[NewGame[T]], now: datetime
    ) -> list[NewGame[T]]:
        """Seat players and begin games of one queue in the transaction; return those that have begun.

        Somebody with a ticket may have been seated elsewhere since it was taken.
        """

    async def run(self, stop: asyncio.Event) -> None:
        """Make games until `stop` is set: at once when a ticket of the queues is told, else when looking."""
        pace, own = Pace(BUSY_MS, IDLE_MS), frozenset(queue.encode() for queue in self.queues)

        async def on_ticket(message: Message) -> None:
            if message.data in own:
                pace.nudge()

        subscription = await self._bus.subscribe(queue_subject(self._service), on_ticket)
        try:
            while not stop.is_set():
                made = await self.step()
                if not made:  # else others may be waiting: look again at once
                    await pace.wait(worked=False)
        finally:
            await subscription.unsubscribe()

    async def step(self) -> int:
        """Make some games of those who wait now; return how many. Tickets whose time is over expire."""
        begun: list[NewGame[T]] = []
        expired: list[UUID] = []
        async with self._store.transaction() as transaction:
            if await rows.lock_queue(transaction.connection, self.queues[0]):
                now = self._now()
                expired = await rows.expire_due(transaction.connection, now)
                for queue in self.queues:
                    begun += await self._step(transaction, queue, now)
                await self._forget(transaction, now)
        if begun:
            fault("queue.committed")
            await self._wake.nudge()
        matched = [ticket.ticket_id for game in begun for ticket in game.tickets]
        for ticket_id in (*matched, *expired):
            await hint(self._bus, ticket_subject(ticket_id))
        return len(begun)

    async def _step(self, transaction: Transaction, queue: str, now: datetime) -> list[NewGame[T]]:
        """Make some games of one queue."""
        chosen = await self._choose(transaction, queue, now)
        begun = await self.begin(transaction, chosen, now) if chosen else []
        if begun:
            fault("queue.begun")
            await enter_begun(transaction, queue, begun, now)
            fault("queue.rows_in")
        return begun

    async def _choose(self, transaction: Transaction, queue: str, now: datetime) -> list[NewGame[T]]:
        limit, connection = self.sizes.most * GAMES_MAX, transaction.connection
        waiting = await self._tickets.take_waiting(connection, queue, now + LAST_MOMENT, limit)
        if len(waiting) < self.sizes.fewest:
            return []
        fault("queue.taken")
        met = await rows.last_opponents(connection, queue, [ticket.account_id for ticket in waiting])
        tables = self.tables(waiting, met, now, all_are_here=len(waiting) < limit)
        return [NewGame(uuid7(now, self._randomness(RANDOM_BYTES)), table) for table in tables]

    async def _forget(self, transaction: Transaction, now: datetime) -> None:
        """Once a minute delete tickets that ended more than a day ago."""
        at_s = asyncio.get_running_loop().time()
        if at_s >= self._forget_at_s:
            await rows.forget_ended(transaction.connection, now - KEPT_FOR)
            self._forget_at_s = at_s + FORGET_EVERY_S


async def enter_begun(
    transaction: Transaction, queue: str, begun: Sequence[NewGame[T]], now: datetime
) -> None:
    """Enter that tickets led to games, and whom their players meet."""
    tickets = {game.match_id: [ticket.ticket_id for ticket in game.tickets] for game in begun}
    await rows.enter_matched(transaction.connection, tickets, now)
    accounts = {game.match_id: game.accounts for game in begun}
    await rows.enter_opponents(transaction.connection, queue, accounts)
