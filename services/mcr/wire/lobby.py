"""Tickets of tables on the wire."""

from __future__ import annotations

from datetime import UTC
from typing import Final
from uuid import UUID

from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1 import lobby_pb2 as pb
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as service_pb
from libs.rules.pairing import tickets
from libs.rules.pairing.tickets import Cancelled, Expired, Matched, Room, Standing, Waiting
from libs.runtime.errors import invalid_field
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import parse_table, parse_ticket, table_name, ticket_name
from services.mcr.domain.deal.terms import STAND_IN, AiLevel
from services.mcr.domain.lobby import QUEUE_OF, Queue, Ticket, TicketView
from services.mcr.wire.words import AI_LEVELS, key_of, timestamp

LINK: Final = "sparrow:table/"
"""A link is an invitation code behind this; the game that a code is of is told by the link alone."""
_STATES: Final = {
    Waiting: pb.TICKET_STATE_WAITING,
    Matched: pb.TICKET_STATE_MATCHED,
    Cancelled: pb.TICKET_STATE_CANCELLED,
    Expired: pb.TICKET_STATE_EXPIRED,
}


def queue_of(deal_count: int) -> Queue:
    """The queue of tables with so many deals; 0 means one. Raises FIELD_INVALID."""
    if (deal_count or 1) not in QUEUE_OF:
        raise invalid_field("deal_count", "1, 4, 8 or 16")
    return QUEUE_OF[deal_count or 1]


def level_of(level: deal_pb2.AiLevel.ValueType) -> AiLevel:
    """The level that a request asks for; the middle one where it asks for none. Raises FIELD_INVALID."""
    if level == deal_pb2.AI_LEVEL_UNSPECIFIED:
        return STAND_IN
    if level not in AI_LEVELS.values():
        raise invalid_field("ai_level", "there is no such level")
    return key_of(AI_LEVELS, level)


def ticket_message(view: TicketView) -> pb.Ticket:
    """A ticket as its player sees it."""
    ticket = view.ticket
    message = pb.Ticket(
        name=ticket_name(ticket.ticket_id),
        deal_count=ticket.queue.deals,
        ai_level=AI_LEVELS[ticket.level],
        state=_STATES[type(ticket.standing)],
        create_time=timestamp(ticket.created_at),
        expire_time=timestamp(ticket.expires_at),
    )
    if ticket.room is not None:
        message.persons, message.invitation_code = ticket.room.seats, ticket.room.code
        message.invitation_link = LINK + ticket.room.code
    if isinstance(ticket.standing, Matched):
        message.table = table_name(ticket.standing.match_id)
    if view.expected_wait is not None:
        message.expected_wait.FromTimedelta(view.expected_wait)
    return message


def stream_message(told: TicketView | str) -> service_pb.WatchTicketResponse:
    """A message of a stream: the ticket, or why the stream ends."""
    if isinstance(told, str):
        text = ending_text(told, "TICKET")
        return service_pb.WatchTicketResponse(end=service_pb.WatchTicketResponse.End(reason=told, text=text))
    return service_pb.WatchTicketResponse(ticket=ticket_message(told))


def keep(view: TicketView) -> bytes:
    """An answer as it is kept for repeats: of a ticket that waits or was cancelled."""
    return ticket_message(view).SerializeToString(deterministic=True)


def kept(reply: bytes, account_id: UUID) -> TicketView:
    """The answer that was kept; a cancelled ticket without the instant, which the wire does not tell."""
    message = pb.Ticket.FromString(reply)
    created_at = message.create_time.ToDatetime(UTC)
    standings: dict[int, Standing] = {pb.TICKET_STATE_CANCELLED: Cancelled(created_at)}
    if message.table:
        standings[pb.TICKET_STATE_MATCHED] = Matched(parse_table("table", message.table), created_at)
    code = message.invitation_code
    ticket = Ticket(
        parse_ticket("name", message.name),
        account_id,
        QUEUE_OF[message.deal_count],
        created_at,
        message.expire_time.ToDatetime(UTC),
        standings.get(message.state, Waiting()),
        Room(code, message.persons) if code else None,
        key_of(AI_LEVELS, message.ai_level),
    )
    wait = message.expected_wait.ToTimedelta() if message.HasField("expected_wait") else None
    return tickets.TicketView(ticket, wait)
