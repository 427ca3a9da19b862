"""Refusals of the lobby."""

from __future__ import annotations

from uuid import UUID

from libs.queueing import refusals
from libs.rules.pairing.rematch import RematchRefusal
from libs.rules.pairing.tickets import TicketRefusal
from libs.runtime.errors import Refused
from libs.runtime.names import table_name
from services.mcr.refusals import already_seated


def ticket_refused(refusal: TicketRefusal, ticket_id: UUID | None, table_id: UUID | None) -> Refused:
    """The error of a refusal; its metadata names the ticket and the table, where there are such."""
    if refusal is TicketRefusal.ALREADY_SEATED and table_id is not None:
        return already_seated(table_id)
    table = None if table_id is None else ("table", table_name(table_id))
    return refusals.ticket_refused(refusal, ticket_id, table)


def rematch_refused(refusal: RematchRefusal, table_id: UUID) -> Refused:
    """The error of a refusal about a table that is over."""
    return refusals.rematch_refused(refusal, ("name", table_name(table_id)))
