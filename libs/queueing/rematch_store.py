"""Rows of rematches: what a game offers to those who have played it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Generic
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from libs.rules.pairing.rematch import Answer, K, Outcome, Rematch

FORGET_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class RematchRows(Generic[K]):
    """How offers of a service are kept; what was played stands in columns of its own."""

    kind: Callable[[Row[Any]], K]
    kind_values: Callable[[K], Mapping[str, object]]
    """By column; of every kind the same columns."""

    async def insert(self, connection: AsyncConnection, rematch: Rematch[K]) -> None:
        """Enter an offer; nothing where the game has one."""
        values = {
            "match_id": rematch.match_id,
            "accounts": list(rematch.accounts),
            "answers": [said.value for said in rematch.answers],
            "outcome": rematch.outcome.value,
            "expires_at": rematch.expires_at,
            "version": rematch.version,
            **self.kind_values(rematch.kind),
        }
        statement = (
            f"INSERT INTO rematch ({', '.join(values)})"  # noqa: S608 fixed columns
            f" VALUES ({', '.join(':' + column for column in values)}) ON CONFLICT (match_id) DO NOTHING"
        )
        await connection.execute(text(statement), values)

    async def find(
        self, connection: AsyncConnection, match_id: UUID, *, lock: bool = False
    ) -> Rematch[K] | None:
        """The offer of a game; with `lock` nobody else changes it until the transaction ends."""
        query = "SELECT * FROM rematch WHERE match_id = :match_id" + (" FOR UPDATE" if lock else "")  # noqa: S608 fixed text
        row = (await connection.execute(text(query), {"match_id": match_id})).one_or_none()
        return None if row is None else self._rematch(row)

    async def find_all(self, connection: AsyncConnection, match_ids: Sequence[UUID]) -> list[Rematch[K]]:
        """Those of the offers that exist."""
        query = text("SELECT * FROM rematch WHERE match_id = ANY(:ids)")
        return [self._rematch(row) for row in await connection.execute(query, {"ids": list(match_ids)})]

    def _rematch(self, row: Row[Any]) -> Rematch[K]:
        return Rematch(
            as_uuid(row.match_id),
            self.kind(row),
            tuple(map(as_uuid, row.accounts)),
            tuple(map(Answer, row.answers)),
            row.expires_at,
            Outcome(row.outcome),
            None if row.next_match_id is None else as_uuid(row.next_match_id),
            row.version,
        )


async def save(connection: AsyncConnection, rematch: Rematch[K]) -> None:
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
