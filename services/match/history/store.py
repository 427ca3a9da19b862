"""Rows of races and games of the pool that are over: by player, as they stand in lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid


@dataclass(frozen=True, slots=True)
class Row:
    """A game that an account played; `told` is what its list says of it."""

    account_id: UUID
    match_id: UUID
    mode: str
    told: bytes


async def enter(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    """Enter games; what was entered before stays."""
    for row in rows:
        await connection.execute(
            text(
                "INSERT INTO played_game (account_id, match_id, mode, told)"
                " VALUES (:account_id, :match_id, :mode, :told) ON CONFLICT DO NOTHING"
            ),
            {"account_id": row.account_id, "match_id": row.match_id, "mode": row.mode, "told": row.told},
        )


async def played(
    connection: AsyncConnection, account_id: UUID, mode: str | None, before: UUID | None, limit: int
) -> list[tuple[UUID, bytes]]:
    """An account's games, of one mode where it is named, newest first, older than `before`."""
    result = await connection.execute(
        text(
            "SELECT match_id, told FROM played_game WHERE account_id = :account_id"
            " AND (CAST(:mode AS text) IS NULL OR mode = CAST(:mode AS text))"
            " AND (CAST(:before AS uuid) IS NULL OR match_id < CAST(:before AS uuid))"
            " ORDER BY match_id DESC LIMIT :limit"
        ),
        {"account_id": account_id, "mode": mode, "before": before, "limit": limit},
    )
    return [(as_uuid(row.match_id), bytes(row.told)) for row in result.all()]
