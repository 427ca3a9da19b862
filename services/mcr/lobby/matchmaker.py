"""Making tables of the tickets of all queues: four together, or fewer after a while."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from libs.bus.port import Bus
from libs.eventstore.port import EventStore, Transaction
from libs.queueing.matchmaker import Matchmaking, NewGame, QueueSizes
from libs.rules.mcr.wall import SEATS
from libs.rules.pairing.choosing import Met
from services.mcr.domain.lobby import Queue, Ticket, gather
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.store import TICKETS


class Matchmaker(Matchmaking[Ticket]):
    """One worker on all queues of tables."""

    def __init__(
        self,
        store: EventStore,
        beginnings: Beginnings,
        bus: Bus,
        now: Callable[[], datetime],
        randomness: Callable[[int], bytes],
        *,
        fill_after: timedelta,
    ) -> None:
        """Fill tables with AI players `fill_after` the first of those who wait came."""
        super().__init__("mcr", TICKETS, store, bus, now, randomness)
        self._beginnings = beginnings
        self._fill_after = fill_after

    @property
    def queues(self) -> Sequence[str]:
        """All of them."""
        return tuple(Queue)

    @property
    def sizes(self) -> QueueSizes:
        """From one person on."""
        return QueueSizes(1, SEATS)

    def tables(
        self, waiting: list[Ticket], met: Met, now: datetime, *, all_are_here: bool
    ) -> list[tuple[Ticket, ...]]:
        """Who sits together now."""
        return gather(waiting, met, now, self._fill_after, all_are_here=all_are_here)

    async def begin(
        self, transaction: Transaction, chosen: list[NewGame[Ticket]], now: datetime
    ) -> list[NewGame[Ticket]]:
        """Begin the tables whose persons are all free; return these."""
        return await self._beginnings.of_tickets(transaction, chosen, now)
