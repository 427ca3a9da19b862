"""What persons do at tables: sit down, play, leave, come back, follow.

A table is named by its own id; what is done at it goes to the deal that it is about.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.following import Change, End, Seen, Snapshot
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import EventStore, Repeated, Request, RequestReused, Transaction
from libs.eventstore.timers import timer_request
from libs.queueing.refusals import ticket_refused
from libs.rules.pairing.tickets import TicketRefusal
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.commands import Act, ByAccount, Leave, Return
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import Dealt, Ended, State
from services.mcr.domain.deal.terms import Ai, AiLevel, AwayReason, Occupant, Person
from services.mcr.domain.session.state import Closed, NotOpened, Opened, Playing
from services.mcr.refusals import already_seated, refused, request_id_reused, too_many_left
from services.mcr.tables import store as rows
from services.mcr.tables.begin import NewTable, TableBeginnings
from services.mcr.tables.ending import TableRepository
from services.mcr.tables.pace import Pace
from services.mcr.tables.play import Before, Beside, DealHub, DealPlayed, Deals
from services.mcr.tables.store import SYSTEM, LiveSeat

LOST_TIMER: Final = "lost"
AGAINST: Final = 3
OPEN_MAX: Final = 8
"""Tables of an account that are played at once: the AI plays out those that it has left."""
RETRY_AFTER_MS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is: how far in which deal."""

    deal_id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader of a table sees next, and of which deal; the table where it is news."""

    deal_id: UUID
    seen: Seen[State, Event]
    opened: Opened | None


@dataclass(frozen=True, slots=True)
class Found:
    """A table, and the deal that is played there or was the last one."""

    opened: Opened
    deal_id: UUID
    deal: Dealt


class SeenAgain(Exception):
    """The seat has a stream after all, or is held by nobody any more."""


class Tables:
    """The tables of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        sessions: TableRepository,
        deals: Deals,
        beginnings: TableBeginnings,
        pace: Pace,
        randomness: Callable[[int], bytes],
        clock: Clock,
        hub: DealHub,
    ) -> None:
        """Open tables by `beginnings`, play them by `deals`."""
        self._store = store
        self._sessions = sessions
        self._deals = deals
        self._beginnings = beginnings
        self._pace = pace
        self._randomness = randomness
        self._clock = clock
        self._hub = hub

    async def open(
        self, account_id: UUID, level: AiLevel, deals: int, request: Request, at: datetime
    ) -> Found:
        """Begin a table of a person and three AI players; the same one for a repeat."""
        table_id = uuid7(at, self._randomness(RANDOM_BYTES))
        async with self._store.transaction() as transaction:
            await transaction.lock(rows.account_lock(account_id))
            earlier = await transaction.keep_reply(request, table_id.bytes, at=at)
            if isinstance(earlier, RequestReused):
                raise request_id_reused()
            if isinstance(earlier, Repeated):
                assert earlier.reply is not None, "a table was opened"
                table_id = UUID(bytes=earlier.reply)
            else:
                seated_at = await rows.seat_of(transaction.connection, account_id)
                if seated_at is not None:
                    raise already_seated(seated_at)
                await _check_waits_nowhere(transaction, account_id, at)
                if await rows.open_tables_of(transaction.connection, account_id, OPEN_MAX) == OPEN_MAX:
                    raise too_many_left(RETRY_AFTER_MS)
                occupants: tuple[Occupant, ...] = (Person(account_id), *[Ai(level)] * AGAINST)
                await self._beginnings.begin_all(transaction, [NewTable(table_id, occupants, deals)], at)
        return await self.read(table_id, account_id)

    async def read(self, table_id: UUID, account_id: UUID) -> Found:
        """The table as it stands now, for whoever sits there or sat there."""
        while True:
            opened = await self._opened(table_id, account_id)
            deal_id = _present(opened)
            deal = await self._deals.settle(deal_id, self._clock.now())
            if not isinstance(deal, Ended) or isinstance(opened, Closed):
                return Found(opened, deal_id, deal)

    async def act(
        self,
        table_id: UUID,
        account_id: UUID,
        number: int,
        decision: int,
        action: Action,
        request: Request,
        at: datetime,
    ) -> DealPlayed:
        """Answer a decision of a deal of the table; a repeat gets the answer of its own deal."""
        opened = await self._opened(table_id, account_id)
        deal_id = _deal_of(opened, number)
        if deal_id is None:
            raise refused(Refusal.STALE_DECISION)
        return await self._deals.play(deal_id, Act(ByAccount(account_id), action, decision, at), request)

    async def leave(self, table_id: UUID, account_id: UUID, request: Request, at: datetime) -> DealPlayed:
        """Leave the seat to the AI; the account may sit elsewhere at once."""

        async def free(transaction: Transaction, _at: datetime) -> None:
            await rows.leave_seat(transaction.connection, account_id, table_id)

        command = Leave(account_id, AwayReason.LEFT, at)
        try:
            return await self._in_present_deal(table_id, command, request, beside=free)
        except Refused as error:
            if error.reason != Refusal.SEAT_AWAY.value or not await self._give_up(
                table_id, account_id, request, at
            ):
                raise
        found = await self.read(table_id, account_id)
        return DealPlayed(found.deal_id, (), found.deal)

    async def _give_up(self, table_id: UUID, account_id: UUID, request: Request, at: datetime) -> bool:
        """Let an account sit elsewhere that was lost here; False where it was not, or is back."""
        async with self._store.transaction() as transaction:
            earlier = await transaction.keep_reply(request, table_id.bytes, at=at)
            if isinstance(earlier, RequestReused):
                raise request_id_reused()
            if earlier is None and not await rows.leave_lost_seat(
                transaction.connection, account_id, table_id
            ):
                await transaction.rollback()
                return False
        return True

    async def come_back(self, table_id: UUID, account_id: UUID, request: Request, at: datetime) -> DealPlayed:
        """Take the seat back, unless the account sits elsewhere by now.

        Its row is locked after the facts are appended, as whatever else changes it does: nobody waits
        crosswise. A repeat is answered before it comes to that.
        """

        async def lock(transaction: Transaction) -> None:
            await transaction.lock(rows.account_lock(account_id))

        async def sit(transaction: Transaction, at: datetime) -> None:
            seat = await rows.lock_seat(transaction.connection, account_id)
            if seat is not None and seat.table_id != table_id:
                raise already_seated(seat.table_id)
            if seat is None:
                await _check_waits_nowhere(transaction, account_id, at)
            await rows.take_seat(transaction.connection, account_id, table_id, at, at)

        return await self._in_present_deal(table_id, Return(account_id, at), request, before=lock, beside=sit)

    async def lose(self, seat: LiveSeat, at: datetime) -> None:
        """Leave a seat to the AI whose stream was lost for too long, unless it is seen again."""

        async def mark(transaction: Transaction, _at: datetime) -> None:
            present = await rows.lock_seat(transaction.connection, seat.account_id)
            if present != seat:
                raise SeenAgain
            await rows.lose_seat(transaction.connection, seat.account_id, seat.table_id)

        what = f"{LOST_TIMER}/{seat.account_id}"
        request = timer_request(SYSTEM, seat.table_id, what, seat.seen_until)
        command = Leave(seat.account_id, AwayReason.LOST, at)
        with suppress(SeenAgain):
            try:
                await self._in_present_deal(seat.table_id, command, request, beside=mark)
            except Refused as error:
                if error.reason != Refusal.SEAT_AWAY.value:
                    raise
                async with self._store.transaction() as transaction:
                    await mark(transaction, at)

    async def follow(
        self, table_id: UUID, account_id: UUID, session_id: UUID, left_at: Place | None, opened_at: datetime
    ) -> AsyncGenerator[Told, None]:
        """What the seat of an account sees, each deal after the other, every change once.

        The stream keeps the age it was opened with: who took the seat since then keeps it in later deals.
        """
        opened = await self._opened(table_id, account_id)
        deal_id, version = _present(opened), None
        if left_at is not None:
            deal_id, version = left_at.deal_id, left_at.version
        while True:
            is_first, following = True, None
            deal = await self._deals.settle(deal_id, self._clock.now())
            seen_by = self._hub.follow(deal_id, account_id, session_id, version, opened_at)
            async with aclosing(seen_by) as stream:
                async for seen in stream:
                    is_news = isinstance(seen, Snapshot) or (
                        isinstance(seen, Change) and (is_first or isinstance(seen.state, Ended))
                    )
                    if isinstance(seen, End) and seen.reason == "MATCH_ENDED":
                        opened = await self._opened(table_id, account_id)
                        following = _deal_of(opened, deal.table.terms.number + 1)
                        if following is not None:
                            break
                    if is_news:
                        opened, is_first = await self._opened(table_id, account_id), False
                    yield Told(deal_id, seen, opened if is_news else None)
            if following is None:
                return
            deal_id, version = following, 0

    async def _in_present_deal(
        self,
        table_id: UUID,
        command: Leave | Return,
        request: Request,
        *,
        before: Before | None = None,
        beside: Beside | None = None,
    ) -> DealPlayed:
        """Carry a command out in the deal that is played; where it has just ended, in the one after it."""
        last: UUID | None = None
        while True:
            deal_id = _present(await self._opened(table_id, command.account_id))
            try:
                return await self._deals.play(deal_id, command, request, before=before, beside=beside)
            except Refused as error:
                if error.reason != Refusal.MATCH_ENDED.value or deal_id == last:
                    raise
                last = deal_id

    async def _opened(self, table_id: UUID, account_id: UUID) -> Opened:
        """The table, for whoever sits there or sat there."""
        state, _version = await self._sessions.state(table_id)
        if isinstance(state, NotOpened):
            raise Refused("NOT_FOUND", "there is no such table")
        if account_id not in state.table.terms.persons:
            raise Refused("NOT_YOURS", "you have no seat at this table")
        return state


async def _check_waits_nowhere(transaction: Transaction, account_id: UUID, at: datetime) -> None:
    """Refuse whoever waits for another table. The account is locked, so no ticket comes meanwhile."""
    ticket_id = await rows.ticket_of(transaction.connection, account_id, at)
    if ticket_id is not None:
        raise ticket_refused(TicketRefusal.ALREADY_QUEUED, ticket_id)


def _present(opened: Opened) -> UUID:
    """The deal that is played, or the last one."""
    return opened.deal_id if isinstance(opened, Playing) else opened.table.rows[-1].deal_id


def _deal_of(opened: Opened, number: int) -> UUID | None:
    """The deal of this number; None while there is none."""
    dealt = [row.deal_id for row in opened.table.rows]
    if isinstance(opened, Playing):
        dealt.append(opened.deal_id)
    return dealt[number - 1] if 1 <= number <= len(dealt) else None
