"""What a refusal of the queues, or of a rematch, says to a person and to a program."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from libs.rules.pairing.rematch import RematchRefusal
from libs.rules.pairing.tickets import TicketRefusal
from libs.runtime.errors import Refused
from libs.runtime.names import ticket_name

_OF_TICKETS: Final = {
    TicketRefusal.NOT_FOUND: "there is no such ticket",
    TicketRefusal.NOT_YOURS: "this is another player's ticket",
    TicketRefusal.ALREADY_QUEUED: "you are waiting already: watch the ticket that is named, or cancel it",
    TicketRefusal.ALREADY_SEATED: "you are playing the game that is named: finish or leave it first",
    TicketRefusal.TICKET_MATCHED: "too late: the game that is named has been found",
    TicketRefusal.TICKET_EXPIRED: "the ticket has expired: it waits no more",
}
_OF_REMATCHES: Final = {
    RematchRefusal.NOT_FOUND: "no rematch is offered: the game goes on, or is of another kind",
    RematchRefusal.NOT_YOURS: "this is another player's game",
    RematchRefusal.REMATCH_OVER: "too late: see what has come of the rematch",
    RematchRefusal.ALREADY_SEATED: "you are playing the game that is named: finish or leave it first",
    RematchRefusal.ALREADY_QUEUED: "you are waiting for others: cancel the ticket first",
}


def ticket_refused(
    refusal: TicketRefusal, ticket_id: UUID | None, game: tuple[str, str] | None = None
) -> Refused:
    """The error of a refusal; its metadata names the ticket and, by a key and a name, the game, if any."""
    metadata = dict([game] if game is not None else [])
    if ticket_id is not None:
        metadata["name"] = ticket_name(ticket_id)
    return Refused(refusal.value, _OF_TICKETS[refusal], metadata)


def rematch_refused(refusal: RematchRefusal, about: tuple[str, str]) -> Refused:
    """The error of a refusal; `about` names the game that is over, or what is in the way, as queues do."""
    return Refused(refusal.value, _OF_REMATCHES[refusal], dict([about]))
