"""Tickets on the wire."""

from __future__ import annotations

from datetime import UTC
from typing import Final
from uuid import UUID

from libs.pb.sparrow.match.v1 import ticket_pb2 as pb
from libs.rules.pairing import tickets
from libs.rules.pairing.tickets import Cancelled, Expired, Matched, Room, Standing, Waiting
from libs.runtime.errors import invalid_field
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import match_name, parse_match, parse_ticket, ticket_name
from services.match.domain.queueing import Queue, Ticket, TicketView
from services.match.wire.boards import timestamp

QUEUE_TO_WIRE: Final = {
    Queue.QUICK_MATCH: pb.QUEUE_QUICK_MATCH,
    Queue.ARENA: pb.QUEUE_ARENA,
    Queue.RACE: pb.QUEUE_RACE,
    Queue.POOL: pb.QUEUE_POOL,
}
QUEUE_OF: Final = {wire: queue for queue, wire in QUEUE_TO_WIRE.items()}
_STATE_TO_WIRE: Final = {
    Waiting: pb.TICKET_STATE_WAITING,
    Matched: pb.TICKET_STATE_MATCHED,
    Cancelled: pb.TICKET_STATE_CANCELLED,
    Expired: pb.TICKET_STATE_EXPIRED,
}


LINK: Final = "sparrow:game/"
"""A link is an invitation code behind this."""


def queue_of(queue: pb.Queue.ValueType) -> Queue:
    """The queue of a request. Raises FIELD_INVALID."""
    if queue not in QUEUE_OF:
        raise invalid_field("queue", "there is no such queue")
    return QUEUE_OF[queue]


def ticket_message(view: TicketView) -> pb.Ticket:
    """A ticket as its player sees it."""
    ticket = view.ticket
    message = pb.Ticket(
        name=ticket_name(ticket.ticket_id),
        queue=QUEUE_TO_WIRE[ticket.queue],
        state=_STATE_TO_WIRE[type(ticket.standing)],
        create_time=timestamp(ticket.created_at),
        expire_time=timestamp(ticket.expires_at),
    )
    if ticket.room is not None:
        message.invitation_code, message.invitation_link = ticket.room.code, LINK + ticket.room.code
        message.seats, message.stake = ticket.room.seats, ticket.room.stake or 0
    if isinstance(ticket.standing, Matched):
        message.match = match_name(ticket.standing.match_id)
    if view.expected_wait is not None:
        message.expected_wait.FromTimedelta(view.expected_wait)
    return message


def _room(message: pb.Ticket) -> Room | None:
    if not message.invitation_code:
        return None
    return Room(message.invitation_code, message.seats, message.stake or None)


def stream_message(told: TicketView | str) -> pb.WatchTicketResponse:
    """A message of a stream: the ticket, or why the stream ends."""
    if isinstance(told, str):
        text = ending_text(told, "TICKET")
        return pb.WatchTicketResponse(end=pb.WatchTicketResponse.End(reason=told, text=text))
    return pb.WatchTicketResponse(ticket=ticket_message(told))


def keep(view: TicketView) -> bytes:
    """An answer as it is kept for repeats: of a ticket that waits or was cancelled."""
    return ticket_message(view).SerializeToString(deterministic=True)


def kept(reply: bytes, account_id: UUID) -> TicketView:
    """The answer that was kept; a cancelled ticket without the instant, which the wire does not tell."""
    message = pb.Ticket.FromString(reply)
    created_at = message.create_time.ToDatetime(UTC)
    standing: Standing = Waiting()
    if message.state == pb.TICKET_STATE_CANCELLED:
        standing = Cancelled(created_at)
    elif message.state == pb.TICKET_STATE_MATCHED:
        standing = Matched(parse_match("match", message.match), created_at)
    ticket = Ticket(
        parse_ticket("name", message.name),
        account_id,
        QUEUE_OF[message.queue],
        created_at,
        message.expire_time.ToDatetime(UTC),
        standing,
        _room(message),
    )
    wait = message.expected_wait.ToTimedelta() if message.HasField("expected_wait") else None
    return tickets.TicketView(ticket, wait)
