"""Rows of rematches. What a match offers is entered in the transaction of its end."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from libs.queueing.rematch_store import RematchRows
from services.match.domain.queueing import GameKind, Queue


async def take_seats(
    connection: AsyncConnection, match_id: UUID, accounts: Collection[UUID], now: datetime
) -> frozenset[UUID]:
    """Seat those of the accounts that neither play nor wait; return them."""
    result = await connection.execute(
        text(
            "INSERT INTO live_seat (account_id, match_id, since)"
            " SELECT account_id, :match_id, :now FROM unnest(CAST(:accounts AS uuid[])) AS a (account_id)"
            " WHERE NOT EXISTS (SELECT FROM ticket t WHERE t.account_id = a.account_id"
            "   AND t.state = 'waiting' AND t.expires_at > :now)"
            " ORDER BY account_id ON CONFLICT (account_id) DO NOTHING RETURNING account_id"
        ),
        {"match_id": match_id, "accounts": list(accounts), "now": now},
    )
    return frozenset(as_uuid(account_id) for account_id in result.scalars())


def _kind(row: Row[Any]) -> GameKind:
    return GameKind(Queue(row.queue), row.private, row.stake)


def _values(kind: GameKind) -> dict[str, object]:
    return {"queue": kind.queue.value, "private": kind.private, "stake": kind.stake}


OFFERS: Final = RematchRows(_kind, _values)
