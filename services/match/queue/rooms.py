"""Private games: who is invited waits with a code, in no queue; whoever fills the table begins the match.

A room is nothing but the tickets that wait with its code. They are taken under the lock of the code, so two
who join at once do not both take the last seat.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

from libs.bus.topology import ticket_subject
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import EventStore, Request, Transaction
from libs.eventstore.wake import Wake
from libs.runtime.errors import Refused, invalid_field
from services.match.domain.queueing import GameKind, Queue, Room, Ticket, TicketRefusal
from services.match.queue import store as rows
from services.match.queue.refusals import ticket_refused
from services.match.queue.store import NewMatch
from services.match.queue.tickets import Tickets
from services.match.watching import live
from services.match.wire.tickets import LINK, TicketView, kept

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Nothing that is easily taken for another: 32 of them, so that every byte chooses one fairly."""
CODE_LETTERS: Final = 8
VALID_FOR: Final = timedelta(minutes=30)
WRONG_MAX: Final = 10
WRONG_WITHIN: Final = timedelta(minutes=10)
MODES: Final = frozenset({Queue.QUICK_MATCH, Queue.ARENA, Queue.POOL})
POOL_SEATS: Final = range(2, Queue.POOL.seats + 1)
STAKE_MAX: Final = 100_000
_MILLISECOND: Final = timedelta(milliseconds=1)

BeginGame: TypeAlias = Callable[[Transaction, GameKind, UUID, tuple[UUID, ...], datetime], Awaitable[None]]
"""Begins a game of a kind, of this id, between these accounts, inside the transaction."""


@dataclass(frozen=True, slots=True)
class RoomTerms:
    """What a private game is to be; 0 seats and no stake where nothing is said."""

    queue: Queue
    seats: int = 0
    stake: int = 0


class Rooms:
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
        self._store = store
        self._tickets = tickets
        self._begin = begin
        self._randomness = randomness
        self._wake = wake
        self._pool_stake = pool_stake

    async def create(self, account_id: UUID, terms: RoomTerms, request: Request, at: datetime) -> TicketView:
        """Open a game and take its first seat."""
        code = "".join(LETTERS[byte % len(LETTERS)] for byte in self._randomness(CODE_LETTERS))
        room = self._room(terms, code)
        return await self._tickets.create(
            account_id, terms.queue, request, at, room=room, valid_for=VALID_FOR
        )

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
        earlier = await self._tickets.answered(request)
        if earlier is not None:
            return kept(earlier, account_id)
        code = _code(told)
        view: TicketView | None = None
        table: tuple[Ticket, ...] = ()
        was_there = False
        async with self._store.transaction() as transaction:
            await self._check_guesses(transaction, account_id, at)
            await transaction.lock(f"room/{code}")
            seated = await rows.take_invited(transaction.connection, code, at)
            if seated:
                _check_stake(seated[0], stake_max)
                view, table = await self._take_seat(transaction, seated, account_id, request, at)
            else:
                was_there = await rows.was_invited(transaction.connection, code)
            if not seated and not was_there:
                await rows.enter_wrong_code(transaction.connection, account_id, at, at - WRONG_WITHIN)
        if view is not None:
            await self._tell(table)
            return view
        if was_there:
            raise Refused("INVITATION_EXPIRED", "the game of this invitation waits no more")
        raise Refused("NOT_FOUND", "no game has this invitation code", {"name": "invitations/"})

    async def _take_seat(
        self,
        transaction: Transaction,
        seated: list[Ticket],
        account_id: UUID,
        request: Request,
        at: datetime,
    ) -> tuple[TicketView, tuple[Ticket, ...]]:
        """Enter the ticket, and the match where the table is full: then the table comes with the answer."""
        first, connection = seated[0], transaction.connection
        for each in seated:
            if each.account_id == account_id:
                raise ticket_refused(TicketRefusal.ALREADY_QUEUED, each.ticket_id)
        ticket_id = uuid7(at, self._randomness(RANDOM_BYTES))
        ticket = Ticket(ticket_id, account_id, first.queue, at, first.expires_at, room=first.room)
        view, is_new = await self._tickets.enter(transaction, ticket, request, at)
        if view is None:
            raise ticket_refused(TicketRefusal.ALREADY_QUEUED, None)
        table = (*seated, ticket)
        assert first.room is not None, "whoever is invited waits in a room"
        if not is_new or len(table) < first.room.seats:
            return view, ()
        match_id = uuid7(at, self._randomness(RANDOM_BYTES))
        new = NewMatch(match_id, table)
        if not await rows.take_seats(connection, [new], at):
            return view, ()  # somebody at the table has begun to play elsewhere: it waits for another
        kind = GameKind(first.queue, private=True, stake=first.room.stake)
        await self._begin(transaction, kind, match_id, new.accounts, at)
        await live.invite(connection, match_id, first.room.code)
        await rows.enter_matches(connection, first.queue, [new], at)
        return view, table

    async def _check_guesses(self, transaction: Transaction, account_id: UUID, at: datetime) -> None:
        """Refuse whoever has given too many wrong codes of late: codes are not to be found by trying."""
        await transaction.lock(f"guess/{account_id}")
        wrong = await rows.wrong_codes(transaction.connection, account_id, at - WRONG_WITHIN)
        if len(wrong) >= WRONG_MAX:
            free_at = wrong[WRONG_MAX - 1] + WRONG_WITHIN
            retry_after_ms = max(1, (free_at - at) // _MILLISECOND)
            raise Refused("RATE_LIMIT", "too many wrong invitation codes", retry_after_ms=retry_after_ms)

    async def _tell(self, table: tuple[Ticket, ...]) -> None:
        """Let those look who wait for news: what is committed is found anyway."""
        for ticket in table:
            await self._tickets.hint(ticket_subject(ticket.ticket_id))
        if table:
            await self._wake.nudge()


def _check_stake(first: Ticket, stake_max: int) -> None:
    """Refuse whoever has not agreed to what the game is for."""
    stake = first.room.stake if first.room is not None else None
    if stake is not None and stake > stake_max:
        message = "the stake is higher than what you have agreed to: see the metadata"
        raise Refused("STAKE_HIGHER", message, {"stake": str(stake)})


def _code(told: str) -> str:
    """A code as it is kept, of a code or a link. Raises FIELD_INVALID for what can be none."""
    code = "".join(letter for letter in told.removeprefix(LINK).upper() if letter not in " -")
    if len(code) != CODE_LETTERS or any(letter not in LETTERS for letter in code):
        raise invalid_field("invitation_code", f"{CODE_LETTERS} letters and digits of {LETTERS}", "CODE")
    return code
