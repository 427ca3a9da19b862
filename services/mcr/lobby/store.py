"""Rows of the lobby: what tickets and offers keep beside what all do, and who is free to sit down."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.port import Transaction
from libs.eventstore.postgres.rows import as_uuid
from libs.queueing.rematch_store import RematchRows
from libs.queueing.store import TicketRows, standing_of
from libs.rules.pairing.tickets import Room
from services.mcr.domain.deal.terms import AiLevel
from services.mcr.domain.lobby import Queue, TableKind, Ticket, rematch_of
from services.mcr.domain.session.state import Closed


async def seated_of(connection: AsyncConnection, accounts: Collection[UUID]) -> frozenset[UUID]:
    """Those of the accounts that sit at a table."""
    result = await connection.execute(
        text("SELECT account_id FROM live_seat WHERE account_id = ANY(:accounts)"),
        {"accounts": list(accounts)},
    )
    return frozenset(map(as_uuid, result.scalars()))


async def free_of(connection: AsyncConnection, accounts: Collection[UUID], now: datetime) -> frozenset[UUID]:
    """Those of the accounts that neither sit at a table nor wait for one."""
    result = await connection.execute(
        text(
            "SELECT account_id FROM unnest(CAST(:accounts AS uuid[])) AS a (account_id)"
            " WHERE NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = a.account_id)"
            " AND NOT EXISTS (SELECT FROM ticket t WHERE t.account_id = a.account_id"
            "   AND t.state = 'waiting' AND t.expires_at > :now)"
        ),
        {"accounts": list(accounts), "now": now},
    )
    return frozenset(map(as_uuid, result.scalars()))


async def offer_rematch(transaction: Transaction, closed: Closed, at: datetime) -> None:
    """Enter what a table offers that closes, in the transaction of its closing."""
    offer = rematch_of(closed.table.terms, closed.reason, at)
    if offer is not None:
        await OFFERS.insert(transaction.connection, offer)


def _ticket(row: Row[Any]) -> Ticket:
    return Ticket(
        as_uuid(row.ticket_id),
        as_uuid(row.account_id),
        Queue(row.queue),
        row.created_at,
        row.expires_at,
        standing_of(row),
        None if row.code is None else Room(row.code, row.seats),
        AiLevel(row.ai_level),
    )


def _more(ticket: Ticket) -> dict[str, object]:
    return {"seats": ticket.room and ticket.room.seats, "ai_level": ticket.level.value}


def _kind(row: Row[Any]) -> TableKind:
    return TableKind(row.deals, AiLevel(row.ai_level), row.private)


def _kind_values(kind: TableKind) -> dict[str, object]:
    return {"deals": kind.deals, "ai_level": kind.level.value, "private": kind.private}


TICKETS: Final = TicketRows(_ticket, _more, ("seats", "ai_level"))
OFFERS: Final = RematchRows(_kind, _kind_values)
