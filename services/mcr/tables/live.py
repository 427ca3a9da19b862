"""Rows of the tables that can be watched: those that are open, or were a while ago."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table that is open, or was a while ago."""

    table_id: UUID
    accounts: tuple[UUID, ...]
    """The persons, by seat."""
    private: bool
    code: str | None
    """What a private table can be watched with; None: with nothing."""
    created_at: datetime


async def invite(connection: AsyncConnection, table_id: UUID, code: str) -> None:
    """Let a private table be watched with a code."""
    await connection.execute(
        text("UPDATE live_table SET code = :code WHERE table_id = :table_id AND private"),
        {"table_id": table_id, "code": code},
    )


async def inherit(connection: AsyncConnection, table_id: UUID, from_id: UUID) -> None:
    """Let a private table be watched with the code of the one that it follows on."""
    await connection.execute(
        text(
            "UPDATE live_table SET code = earlier.code FROM live_table earlier"
            " WHERE live_table.table_id = :table_id AND live_table.private AND earlier.table_id = :from_id"
        ),
        {"table_id": table_id, "from_id": from_id},
    )


async def find(connection: AsyncConnection, table_id: UUID) -> LiveTable | None:
    """A table by its id; None where there is none, or it closed long ago."""
    result = await connection.execute(
        text("SELECT * FROM live_table WHERE table_id = :table_id"), {"table_id": table_id}
    )
    row = result.one_or_none()
    return None if row is None else _table(row)


async def listed(
    connection: AsyncConnection, shown_at: datetime, without: UUID, before: UUID | None, limit: int
) -> Sequence[LiveTable]:
    """The tables that were open at an instant and are not private, without an account's own.

    The newest first, those older than `before`; at most `limit`.
    """
    result = await connection.execute(
        text(
            "SELECT * FROM live_table WHERE NOT private"
            " AND created_at <= :shown_at AND (ended_at IS NULL OR ended_at > :shown_at)"
            " AND :without <> ALL (accounts)"
            " AND (CAST(:before AS uuid) IS NULL OR table_id < CAST(:before AS uuid))"
            " ORDER BY table_id DESC LIMIT :limit"
        ),
        {"shown_at": shown_at, "without": without, "before": before, "limit": limit},
    )
    return [_table(row) for row in result]


def _table(row: Row[Any]) -> LiveTable:
    return LiveTable(
        as_uuid(row.table_id), tuple(map(as_uuid, row.accounts)), row.private, row.code, row.created_at
    )
