"""Rows of rematches. What a match offers is entered in the transaction of its end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.queueing import GameKind, Queue
from services.match.domain.rematch import Answer, Outcome, Rematch

FORGET_MAX: Final = 1_000


async def insert(connection: AsyncConnection, rematch: Rematch) -> None:
    """Enter the offer of a match that ends."""
    await connection.execute(
        text(
            "INSERT INTO rematch (match_id, queue, private, stake, accounts, answers, outcome, expires_at,"
            " version) VALUES (:match_id, :queue, :private, :stake, :accounts, :answers, :outcome,"
            " :expires_at, :version)"
        ),
        {
            "match_id": rematch.match_id,
            "queue": rematch.kind.queue.value,
            "private": rematch.kind.private,
            "stake": rematch.kind.stake,
            "accounts": list(rematch.accounts),
            "answers": [said.value for said in rematch.answers],
            "outcome": rematch.outcome.value,
            "expires_at": rematch.expires_at,
            "version": rematch.version,
        },
    )


async def find(connection: AsyncConnection, match_id: UUID, *, lock: bool = False) -> Rematch | None:
    """The offer of a match; with `lock` nobody else changes it until the transaction ends."""
    query = "SELECT * FROM rematch WHERE match_id = :match_id" + (" FOR UPDATE" if lock else "")  # noqa: S608 fixed text
    row = (await connection.execute(text(query), {"match_id": match_id})).one_or_none()
    return None if row is None else _rematch(row)


async def find_all(connection: AsyncConnection, match_ids: Sequence[UUID]) -> list[Rematch]:
    """Those of the offers that exist."""
    query = text("SELECT * FROM rematch WHERE match_id = ANY(:ids)")
    return [_rematch(row) for row in await connection.execute(query, {"ids": list(match_ids)})]


async def save(connection: AsyncConnection, rematch: Rematch) -> None:
    """Enter how an offer stands that the caller has locked."""
    await connection.execute(
        text(
            "UPDATE rematch SET answers = :answers, outcome = :outcome, next_match_id = :next_match_id,"
            " version = :version WHERE match_id = :match_id"
        ),
        {
            "match_id": rematch.match_id,
            "answers": [said.value for said in rematch.answers],
            "outcome": rematch.outcome.value,
            "next_match_id": rematch.next_match_id,
            "version": rematch.version,
        },
    )


async def forget(connection: AsyncConnection, before: datetime) -> None:
    """Delete some of the offers that expired before then."""
    await connection.execute(
        text(
            "DELETE FROM rematch WHERE match_id IN (SELECT match_id FROM rematch"
            " WHERE expires_at < :before ORDER BY expires_at LIMIT :limit)"
        ),
        {"before": before, "limit": FORGET_MAX},
    )


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


def _rematch(row: Row[Any]) -> Rematch:
    return Rematch(
        as_uuid(row.match_id),
        GameKind(Queue(row.queue), row.private, row.stake),
        tuple(map(as_uuid, row.accounts)),
        tuple(map(Answer, row.answers)),
        row.expires_at,
        Outcome(row.outcome),
        None if row.next_match_id is None else as_uuid(row.next_match_id),
        row.version,
    )
