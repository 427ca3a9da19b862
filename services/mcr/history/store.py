"""Rows of closed tables: by player, as they stand in lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid


@dataclass(frozen=True, slots=True)
class Row:
    """A table at which an account sat; `told` is what its list says of it."""

    account_id: UUID
    table_id: UUID
    told: bytes


async def enter(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    """Enter tables; what was entered before stays."""
    for row in rows:
        await connection.execute(
            text(
                "INSERT INTO played_table (account_id, table_id, told)"
                " VALUES (:account_id, :table_id, :told) ON CONFLICT DO NOTHING"
            ),
            {"account_id": row.account_id, "table_id": row.table_id, "told": row.told},
        )


async def played(
    connection: AsyncConnection, account_id: UUID, before: UUID | None, limit: int
) -> list[tuple[UUID, bytes]]:
    """An account's tables, newest first, older than `before`."""
    result = await connection.execute(
        text(
            "SELECT table_id, told FROM played_table WHERE account_id = :account_id"
            " AND (CAST(:before AS uuid) IS NULL OR table_id < CAST(:before AS uuid))"
            " ORDER BY table_id DESC LIMIT :limit"
        ),
        {"account_id": account_id, "before": before, "limit": limit},
    )
    return [(as_uuid(row.table_id), bytes(row.told)) for row in result.all()]
