"""What a refusal of the queues says to a person and to a program."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from libs.rules.pairing.tickets import TicketRefusal
from libs.runtime.errors import Refused
from libs.runtime.names import match_name, ticket_name

_MESSAGES: Final = {
    TicketRefusal.NOT_FOUND: "there is no such ticket",
    TicketRefusal.NOT_YOURS: "this is another player's ticket",
    TicketRefusal.ALREADY_QUEUED: "you are waiting already: watch the ticket that is named, or cancel it",
    TicketRefusal.ALREADY_SEATED: "you are playing the match that is named: finish or leave it first",
    TicketRefusal.TICKET_MATCHED: "too late: the match that is named has been found",
    TicketRefusal.TICKET_EXPIRED: "the ticket has expired: it waits no more",
}


def ticket_refused(
    refusal: TicketRefusal, ticket_id: UUID | None, *, match_id: UUID | None = None
) -> Refused:
    """The error of a refusal; its metadata names the ticket and the match, where there are such."""
    metadata: dict[str, str] = {}
    if ticket_id is not None:
        metadata["name"] = ticket_name(ticket_id)
    if match_id is not None:
        metadata["match"] = match_name(match_id)
    return Refused(refusal.value, _MESSAGES[refusal], metadata)
