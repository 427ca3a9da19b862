"""Private games: quick matches, arenas and pool matches between those who have the code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias
from uuid import UUID

from libs.eventstore.port import EventStore, Request, Transaction
from libs.eventstore.wake import Wake
from libs.queueing.rooms import VALID_FOR, Invitations
from libs.rules.pairing.tickets import Room
from libs.runtime.errors import Refused, invalid_field
from services.match.domain.queueing import GameKind, Queue, Ticket, TicketView
from services.match.queue import store as rows
from services.match.queue.store import NewMatch
from services.match.queue.tickets import Tickets
from services.match.watching import live
from services.match.wire.tickets import LINK

MODES: Final = frozenset({Queue.QUICK_MATCH, Queue.ARENA, Queue.POOL})
POOL_SEATS: Final = range(2, Queue.POOL.seats + 1)
STAKE_MAX: Final = 100_000

BeginGame: TypeAlias = Callable[[Transaction, GameKind, UUID, tuple[UUID, ...], datetime], Awaitable[None]]
"""Begins a game of a kind, of this id, between these accounts, inside the transaction."""


@dataclass(frozen=True, slots=True)
class RoomTerms:
    """What a private game is to be; 0 seats and no stake where nothing is said."""

    queue: Queue
    seats: int = 0
    stake: int = 0


class Rooms(Invitations[Ticket]):
    """The private games of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        tickets: Tickets,
        begin: BeginGame,
        randomness: Callable[[int], bytes],
        wake: Wake,
        *,
        pool_stake: int,
    ) -> None:
        """Begin games with `begin`; pool matches are for `pool_stake` where nothing else is said."""
        super().__init__(store, rows.TICKETS, tickets, randomness, wake)
        self._create = tickets.create
        self._begin = begin
        self._pool_stake = pool_stake

    @property
    def link(self) -> str:
        """What stands before a code in a link."""
        return LINK

    async def create(self, account_id: UUID, terms: RoomTerms, request: Request, at: datetime) -> TicketView:
        """Open a game and take its first seat."""
        room = self._room(terms, self.new_code())
        return await self._create(account_id, terms.queue, request, at, room=room, valid_for=VALID_FOR)

    def _room(self, terms: RoomTerms, code: str) -> Room:
        """What a game is to be. Raises FIELD_INVALID."""
        if terms.queue not in MODES:
            raise invalid_field("queue", "a quick match, an arena or the pool")
        if terms.queue is not Queue.POOL:
            if terms.seats or terms.stake:
                raise invalid_field("seats, stake", "of the pool only")
            return Room(code, terms.queue.seats, None)
        seats, stake = terms.seats or POOL_SEATS.start, terms.stake or self._pool_stake
        if seats not in POOL_SEATS:
            raise invalid_field("seats", "2 to 4, or 0 for 2", "RANGE", min=2, max=4)
        if not 1 <= stake <= STAKE_MAX:
            allowed = f"1 to {STAKE_MAX:,} chips, or 0 for {self._pool_stake}"
            raise invalid_field("stake", allowed, "RANGE", min=1, max=STAKE_MAX)
        return Room(code, seats, stake)

    async def join(
        self, account_id: UUID, told: str, stake_max: int, request: Request, at: datetime
    ) -> TicketView:
        """Take a seat; with the last one the match begins. A repeat gets the first answer."""

        def agrees(first: Ticket) -> None:
            _check_stake(first, stake_max)

        return await self.take_seat(account_id, told, request, at, agrees)

    async def begin(self, transaction: Transaction, game: NewMatch, code: str, at: datetime) -> bool:
        """Seat the players and begin their match; False where one of them has begun to play elsewhere."""
        if not await rows.take_seats(transaction.connection, [game], at):
            return False
        first = game.tickets[0]
        kind = GameKind(first.queue, private=True, stake=None if first.room is None else first.room.stake)
        await self._begin(transaction, kind, game.match_id, game.accounts, at)
        await live.invite(transaction.connection, game.match_id, code)
        return True


def _check_stake(first: Ticket, stake_max: int) -> None:
    """Refuse whoever has not agreed to what the game is for."""
    stake = first.room.stake if first.room is not None else None
    if stake is not None and stake > stake_max:
        message = "the stake is higher than what you have agreed to: see the metadata"
        raise Refused("STAKE_HIGHER", message, {"stake": str(stake)})
