"""How MCR tables form: waiting for a table, inviting friends to one, playing the same persons again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import grpc

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S
from libs.client.deal_views import AiLevel
from libs.client.deal_wire import level_of, level_word
from libs.client.errors import RefusedError
from libs.client.link import Link
from libs.client.rematches import RematchAnswer, RematchState
from libs.client.row_streams import RowStream, follow_row
from libs.client.tickets import TicketState
from libs.pb.sparrow.mcr.v1 import lobby_pb2 as wire
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import LobbyServiceAsyncStub

CURRENT = "tickets/current"
"""The ticket that waits, else the last one."""


@dataclass(frozen=True, slots=True)
class TableTicket:
    """A place in the queue of tables, or at a private one, which has an invitation code for the others."""

    name: str
    state: TicketState
    deal_count: int
    ai_level: AiLevel | None
    create_time: datetime
    expire_time: datetime
    expected_wait: timedelta | None
    """How much longer the wait will probably be; none at a private table."""
    table: str | None
    """"tables/<uuid>", once MATCHED."""
    invitation_code: str
    invitation_link: str
    persons: int
    """Of a private table: how many play there."""


@dataclass(frozen=True, slots=True)
class TableRematch:
    """The offer of a table whose deals were all played; `next_table` is there once BEGUN."""

    table: str
    state: RematchState
    expire_time: datetime
    answers: Mapping[str, RematchAnswer]
    """By person."""
    deal_count: int
    ai_level: AiLevel | None
    next_table: str | None


class TableWaiting:
    """This player's ticket, kept in step."""

    def __init__(self, link: Link, stub: LobbyServiceAsyncStub, ticket: TableTicket) -> None:
        """Begin with what the server told."""
        self._link = link
        self._stub = stub
        self.ticket = ticket
        """As it stood when it was last told of."""

    async def cancel(self) -> TableTicket:
        """Stop waiting. Raises RefusedError TICKET_MATCHED (see its metadata) or TICKET_EXPIRED: too late."""
        request = calls.CancelTicketRequest(name=self.ticket.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.CancelTicket, request, MOVE_DEADLINE_S)
        self.ticket = ticket_of(answer.ticket)
        return self.ticket

    async def table(self) -> str:
        """Wait for the table and return its name. Raises RefusedError when the ticket is over without one."""
        async with aclosing(self.watch()) as tickets:
            async for ticket in tickets:
                if ticket.table is not None:
                    return ticket.table
        reason = f"TICKET_{self.ticket.state.name}"
        raise RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, "the ticket waits no more")

    async def watch(self) -> AsyncGenerator[TableTicket, None]:
        """Yield the ticket as it stands, whenever it is told of, until it waits no more.

        Streams that break are opened again. Raises UnreachableError once none could be opened for as long as
        retries go on.
        """
        request = calls.WatchTicketRequest(name=self.ticket.name)
        stream = RowStream(
            open=lambda metadata: self._stub.WatchTicket(request, metadata=metadata),
            told=lambda message: ticket_of(message.ticket) if message.HasField("ticket") else None,
            is_over=lambda ticket: ticket.state is not TicketState.WAITING,
        )
        async with aclosing(follow_row(self._link, stream)) as tickets:
            async for self.ticket in tickets:
                yield self.ticket


class Lobby:
    """How this player comes to MCR tables."""

    def __init__(self, link: Link, stub: LobbyServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def queue(self, deal_count: int = 1, ai_level: AiLevel = AiLevel.MIDDLE) -> TableWaiting:
        """Wait for a table of 1, 4, 8 or 16 deals; AI players of the level sit where nobody comes in time.

        A ticket of this player's that waits in the queue already is gone on with. Raises RefusedError
        ALREADY_SEATED, with the `name` of the table where this player sits.
        """
        request = calls.CreateTicketRequest(
            deal_count=deal_count, ai_level=level_word(ai_level), request_id=str(uuid4())
        )
        try:
            answer = await self._link.calls.unary(self._stub.CreateTicket, request, MOVE_DEADLINE_S)
        except RefusedError as refused:
            if refused.reason != "ALREADY_QUEUED":
                raise
            waiting = await self.waiting(refused.metadata["name"])
            if waiting.ticket.invitation_code or waiting.ticket.deal_count != deal_count:
                raise
            return waiting
        return self._waiting(answer.ticket)

    async def waiting(self, name: str = CURRENT) -> TableWaiting:
        """A ticket of this player's; by default the one that waits, else the last one."""
        request = calls.GetTicketRequest(name=name)
        answer = await self._link.calls.unary(self._stub.GetTicket, request, LIST_DEADLINE_S)
        return self._waiting(answer.ticket)

    async def invite(
        self, persons: int = 4, deal_count: int = 1, ai_level: AiLevel = AiLevel.MIDDLE
    ) -> TableWaiting:
        """Open a private table for 2 to 4 persons; the ticket tells code and link for the others."""
        request = calls.CreatePrivateTableRequest(
            persons=persons,
            deal_count=deal_count,
            ai_level=level_word(ai_level),
            request_id=str(uuid4()),
        )
        answer = await self._link.calls.unary(self._stub.CreatePrivateTable, request, MOVE_DEADLINE_S)
        return self._waiting(answer.ticket)

    async def join(self, invitation: str) -> TableWaiting:
        """Take a seat at a private table by a code or a link.

        Raises RefusedError NOT_FOUND for a code that no table has, INVITATION_EXPIRED for one whose table
        waits no more, and LimitError after too many wrong codes.
        """
        request = calls.JoinPrivateTableRequest(invitation_code=invitation, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.JoinPrivateTable, request, MOVE_DEADLINE_S)
        return self._waiting(answer.ticket)

    async def rematch(self, table: str) -> TableRematch:
        """The offer of a table as it stands. Raises RefusedError NOT_FOUND where there is none."""
        request = calls.GetRematchRequest(name=table)
        answer = await self._link.calls.unary(self._stub.GetRematch, request, LIST_DEADLINE_S)
        return rematch_of(answer.rematch)

    async def accept(self, table: str) -> TableRematch:
        """Say yes. Raises RefusedError REMATCH_OVER, ALREADY_SEATED, ALREADY_QUEUED."""
        request = calls.AcceptRematchRequest(name=table, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.AcceptRematch, request, MOVE_DEADLINE_S)
        return rematch_of(answer.rematch)

    async def decline(self, table: str) -> TableRematch:
        """Say no, also to take a yes back. Raises RefusedError REMATCH_OVER."""
        request = calls.DeclineRematchRequest(name=table, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.DeclineRematch, request, MOVE_DEADLINE_S)
        return rematch_of(answer.rematch)

    def follow_rematch(self, table: str) -> AsyncIterator[TableRematch]:
        """Yield the offer as it stands, whenever it is told of, until something has come of it."""
        request = calls.WatchRematchRequest(name=table)
        stream = RowStream(
            open=lambda metadata: self._stub.WatchRematch(request, metadata=metadata),
            told=lambda message: rematch_of(message.rematch) if message.HasField("rematch") else None,
            is_over=lambda rematch: rematch.state is not RematchState.OPEN,
        )
        return follow_row(self._link, stream)

    def _waiting(self, ticket: wire.Ticket) -> TableWaiting:
        return TableWaiting(self._link, self._stub, ticket_of(ticket))


def ticket_of(message: wire.Ticket) -> TableTicket:
    """Translate a ticket."""
    return TableTicket(
        name=message.name,
        state=TicketState(_word(wire.TicketState.Name(message.state), "TICKET_STATE_")),
        deal_count=message.deal_count,
        ai_level=level_of(message.ai_level),
        create_time=message.create_time.ToDatetime(UTC),
        expire_time=message.expire_time.ToDatetime(UTC),
        expected_wait=message.expected_wait.ToTimedelta() if message.HasField("expected_wait") else None,
        table=message.table or None,
        invitation_code=message.invitation_code,
        invitation_link=message.invitation_link,
        persons=message.persons,
    )


def rematch_of(message: wire.Rematch) -> TableRematch:
    """Translate an offer."""
    return TableRematch(
        table=message.name,
        state=RematchState(_word(wire.RematchState.Name(message.state), "REMATCH_STATE_")),
        expire_time=message.expire_time.ToDatetime(UTC),
        answers={seat.player: _answer(seat.answer) for seat in message.seats},
        deal_count=message.deal_count,
        ai_level=level_of(message.ai_level),
        next_table=message.next_table or None,
    )


def _answer(answer: wire.RematchAnswer.ValueType) -> RematchAnswer:
    if answer == wire.REMATCH_ANSWER_UNSPECIFIED:
        return RematchAnswer.NONE
    return RematchAnswer(_word(wire.RematchAnswer.Name(answer), "REMATCH_ANSWER_"))


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
