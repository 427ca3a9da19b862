"""Private games: who is invited waits with a code, in no queue; whoever fills the table begins the game.

A room is nothing but the tickets that wait with its code. They are taken under the lock of the code, so two
who join at once do not both take the last seat.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Generic
from uuid import UUID

from libs.eventstore.port import EventStore, Request, Transaction
from libs.eventstore.wake import Wake
from libs.queueing import store as rows
from libs.queueing.guesses import check_guesses, enter_wrong_code
from libs.queueing.matchmaker import NewGame, enter_begun
from libs.queueing.store import TicketRows
from libs.queueing.tickets import Tickets
from libs.rules.pairing.invitations import CODE_LETTERS, LETTERS, as_code, code_of
from libs.rules.pairing.tickets import T, TicketRefusal, TicketView, Waiting
from libs.runtime.errors import Refused, invalid_field

VALID_FOR: Final = timedelta(minutes=30)


class Invitations(ABC, Generic[T]):
    """The private games of all players of a service. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        rows_of_tickets: TicketRows[T],
        tickets: Tickets[T],
        randomness: Callable[[int], bytes],
        wake: Wake,
    ) -> None:
        """Enter tickets by `tickets`."""
        self._store = store
        self._rows = rows_of_tickets
        self._tickets = tickets
        self._randomness = randomness
        self._wake = wake

    @property
    @abstractmethod
    def link(self) -> str:
        """A link is an invitation code behind this."""

    @abstractmethod
    async def begin(self, transaction: Transaction, game: NewGame[T], code: str, at: datetime) -> bool:
        """Seat the players and begin their game; False where one of them has begun to play elsewhere."""

    def new_code(self) -> str:
        """A code that nobody guesses."""
        return code_of(self._randomness(CODE_LETTERS))

    async def take_seat(
        self,
        account_id: UUID,
        told: str,
        request: Request,
        at: datetime,
        agrees: Callable[[T], None] | None = None,
    ) -> TicketView[T]:
        """Take a seat by a code; with the last one the game begins. A repeat gets the first answer.

        `agrees` looks at the first ticket of the game and may raise Refused.
        """
        earlier = await self._tickets.answered(request)
        if earlier is not None:
            return self._tickets.kept(earlier, account_id)
        code = as_code(told, self.link)
        if code is None:
            raise invalid_field("invitation_code", f"{CODE_LETTERS} letters and digits of {LETTERS}", "CODE")
        view: TicketView[T] | None = None
        table: tuple[T, ...] = ()
        was_there = False
        async with self._store.transaction() as transaction:
            await check_guesses(transaction, account_id, at)
            await transaction.lock(f"room/{code}")
            seated = await self._rows.take_invited(transaction.connection, code, at)
            if seated:
                if agrees is not None:
                    agrees(seated[0])
                view, table = await self._enter(transaction, seated, account_id, request, at)
            else:
                was_there = await rows.was_invited(transaction.connection, code)
            if not seated and not was_there:
                await enter_wrong_code(transaction, account_id, at)
        if view is not None:
            for ticket in table:
                await self._tickets.tell(ticket.ticket_id)
            if table:
                await self._wake.nudge()
            return view
        if was_there:
            raise Refused("INVITATION_EXPIRED", "the game of this invitation waits no more")
        raise Refused("NOT_FOUND", "no game has this invitation code", {"name": "invitations/"})

    async def _enter(
        self,
        transaction: Transaction,
        seated: list[T],
        account_id: UUID,
        request: Request,
        at: datetime,
    ) -> tuple[TicketView[T], tuple[T, ...]]:
        """Enter the ticket, and the game where the table is full: then the table comes with the answer."""
        first = seated[0]
        for each in seated:
            if each.account_id == account_id:
                raise self._tickets.refused(TicketRefusal.ALREADY_QUEUED, each.ticket_id)
        # In the order in which others lock them: nobody waits crosswise.
        await rows.lock_accounts(transaction.connection, (account_id, *(each.account_id for each in seated)))
        ticket = replace(
            first,
            ticket_id=self._tickets.new_id(at),
            account_id=account_id,
            created_at=at,
            standing=Waiting(),
        )
        view, is_new = await self._tickets.enter(transaction, ticket, request, at)
        if view is None:
            raise self._tickets.refused(TicketRefusal.ALREADY_QUEUED, None)
        table = (*seated, ticket)
        assert first.room is not None, "whoever is invited waits in a room"
        if not is_new or len(table) < first.room.seats:
            return view, ()
        game = NewGame(self._tickets.new_id(at), table)
        if not await self.begin(transaction, game, first.room.code, at):
            return view, ()  # somebody at the table has begun to play elsewhere: it waits for another
        await enter_begun(transaction, first.queue.value, [game], at)
        return view, table
