"""Waiting for opponents: one ticket in a queue, watched over however many streams it takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import uuid4

import grpc

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S
from libs.client.errors import RefusedError
from libs.client.link import Link
from libs.client.row_streams import RowStream, follow_row
from libs.pb.sparrow.match.v1 import ticket_pb2 as wire


class QueueKind(StrEnum):
    """What one waits for."""

    QUICK = "quick"
    """A quick match: two players."""
    ARENA = "arena"
    """An arena match: four players."""
    RACE = "race"
    """A race: 2 to 8 players."""
    POOL = "pool"
    """A match of the pool: 2 to 4 players, a stake of chips each."""


class TicketState(StrEnum):
    """What became of a ticket."""

    WAITING = "waiting"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in a queue, or in a private game, which has an invitation code for the others.

    `expected_wait` is none where nobody knows; `match` is there once MATCHED.
    """

    name: str
    state: TicketState
    create_time: datetime
    expire_time: datetime
    expected_wait: timedelta | None
    match: str | None
    invitation_code: str = ""
    invitation_link: str = ""
    seats: int = 0
    """Of a private game: how many play it."""
    stake: int = 0
    """Of a private pool match: chips that each seat pays."""


QUEUE_TO_WIRE: Final = {
    QueueKind.QUICK: wire.QUEUE_QUICK_MATCH,
    QueueKind.ARENA: wire.QUEUE_ARENA,
    QueueKind.RACE: wire.QUEUE_RACE,
    QueueKind.POOL: wire.QUEUE_POOL,
}
_STATE_OF: Final = {
    wire.TICKET_STATE_WAITING: TicketState.WAITING,
    wire.TICKET_STATE_MATCHED: TicketState.MATCHED,
    wire.TICKET_STATE_CANCELLED: TicketState.CANCELLED,
    wire.TICKET_STATE_EXPIRED: TicketState.EXPIRED,
}


def ticket_of(message: wire.Ticket) -> Ticket:
    """Translate a ticket."""
    return Ticket(
        name=message.name,
        state=_STATE_OF[message.state],
        create_time=message.create_time.ToDatetime(UTC),
        expire_time=message.expire_time.ToDatetime(UTC),
        expected_wait=message.expected_wait.ToTimedelta() if message.HasField("expected_wait") else None,
        match=message.match or None,
        invitation_code=message.invitation_code,
        invitation_link=message.invitation_link,
        seats=message.seats,
        stake=message.stake,
    )


class Waiting:
    """This player's ticket, kept in step; made by `SparrowClient.queue`."""

    def __init__(self, link: Link, ticket: Ticket) -> None:
        """Begin with what the server told."""
        self._link = link
        self.ticket = ticket
        """As it stood when it was last told of."""
        self.reconnects = 0
        """How often a stream was opened again."""

    async def cancel(self) -> Ticket:
        """Stop waiting. Raises RefusedError TICKET_MATCHED (see its metadata) or TICKET_EXPIRED: too late."""
        request = wire.CancelTicketRequest(name=self.ticket.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._link.match.CancelTicket, request, MOVE_DEADLINE_S)
        self.ticket = ticket_of(answer.ticket)
        return self.ticket

    async def match(self) -> str:
        """Wait for the match and return its name. Raises RefusedError when the ticket is over without one."""
        async for ticket in self.watch():
            if ticket.match is not None:
                return ticket.match
        reason = f"TICKET_{self.ticket.state.name}"
        raise RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, "the ticket waits no more")

    async def watch(self) -> AsyncIterator[Ticket]:
        """Yield the ticket as it stands, whenever it is told of, until it waits no more.

        Streams that break are opened again. Raises UnreachableError once none could be opened for as long as
        retries go on.
        """
        request = wire.WatchTicketRequest(name=self.ticket.name)
        stream = RowStream(
            open=lambda metadata: self._link.match.WatchTicket(request, metadata=metadata),
            told=_told,
            is_over=lambda ticket: ticket.state is not TicketState.WAITING,
            reconnects=self._count,
        )
        async with aclosing(follow_row(self._link, stream)) as tickets:
            async for ticket in tickets:
                self.ticket = ticket
                yield ticket

    def _count(self) -> None:
        self.reconnects += 1


async def open_ticket(link: Link, kind: QueueKind) -> Waiting:
    """Wait in a queue; a ticket of this player's that waits there already is gone on with."""
    queue = QUEUE_TO_WIRE[kind]
    request = wire.CreateTicketRequest(queue=queue, request_id=str(uuid4()))
    try:
        made = (await link.calls.unary(link.match.CreateTicket, request, MOVE_DEADLINE_S)).ticket
    except RefusedError as refused:
        if refused.reason != "ALREADY_QUEUED":
            raise
        name = wire.GetTicketRequest(name=refused.metadata["name"])
        made = (await link.calls.unary(link.match.GetTicket, name, LIST_DEADLINE_S)).ticket
        if made.queue != queue or made.invitation_code:
            raise
    return Waiting(link, ticket_of(made))


def _told(message: wire.WatchTicketResponse) -> Ticket | None:
    return ticket_of(message.ticket) if message.HasField("ticket") else None
