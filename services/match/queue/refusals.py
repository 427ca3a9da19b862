"""Refusals of the queues of matches."""

from __future__ import annotations

from uuid import UUID

from libs.queueing import refusals
from libs.rules.pairing.tickets import TicketRefusal
from libs.runtime.errors import Refused
from libs.runtime.names import match_name


def ticket_refused(
    refusal: TicketRefusal, ticket_id: UUID | None, *, match_id: UUID | None = None
) -> Refused:
    """The error of a refusal; its metadata names the ticket and the match, where there are such."""
    match = None if match_id is None else ("match", match_name(match_id))
    return refusals.ticket_refused(refusal, ticket_id, match)
