"""Private tables: persons who have the code, AI players beside; their points count on no board."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventstore.port import EventStore, Request, Transaction
from libs.eventstore.wake import Wake
from libs.queueing.matchmaker import NewGame
from libs.queueing.rooms import VALID_FOR, Invitations
from libs.rules.mcr.wall import SEATS
from libs.rules.pairing.tickets import Room
from libs.runtime.errors import invalid_field
from services.mcr.domain.deal.terms import AiLevel
from services.mcr.domain.lobby import Queue, Ticket, TicketView
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.store import TICKETS
from services.mcr.lobby.tickets import Tickets
from services.mcr.tables.live import invite
from services.mcr.wire.lobby import LINK

PERSONS_MIN: Final = 2


class Rooms(Invitations[Ticket]):
    """The private tables of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        tickets: Tickets,
        beginnings: Beginnings,
        randomness: Callable[[int], bytes],
        wake: Wake,
    ) -> None:
        """Begin tables by `beginnings`."""
        super().__init__(store, TICKETS, tickets, randomness, wake)
        self._create = tickets.create
        self._beginnings = beginnings

    @property
    def link(self) -> str:
        """What stands before a code in a link."""
        return LINK

    async def create(
        self,
        account_id: UUID,
        persons: int,
        queue: Queue,
        level: AiLevel,
        request: Request,
        at: datetime,
    ) -> TicketView:
        """Open a table for 2 to 4 persons (0: four) and take its first seat."""
        room = Room(self.new_code(), persons or SEATS)
        if not PERSONS_MIN <= room.seats <= SEATS:
            raise invalid_field("persons", "2 to 4, or 0 for 4", "RANGE", min=PERSONS_MIN, max=SEATS)
        return await self._create(account_id, queue, level, request, at, room=room, valid_for=VALID_FOR)

    async def begin(self, transaction: Transaction, game: NewGame[Ticket], code: str, at: datetime) -> bool:
        """Begin the table of those who were invited; False where one of them sits elsewhere by now."""
        begun = await self._beginnings.of_tickets(transaction, [game], at)
        if begun:
            await invite(transaction.connection, game.match_id, code)
        return bool(begun)
