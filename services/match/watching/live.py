"""Rows of the matches that can be watched: one a match, written in the transactions that begin and end it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.queueing import Seating
from services.match.domain.spectating.modes import WatchedMode

KEPT: Final = timedelta(hours=2)
"""How long after its end a match can be watched: more than any delay."""
FORGET_MAX: Final = 10


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A match that is played, or was a while ago."""

    match_id: UUID
    mode: WatchedMode
    accounts: tuple[UUID, ...]
    cpu_players: int
    private: bool
    code: str | None
    """What a private match can be watched with; None: with nothing."""
    created_at: datetime


async def enter(
    connection: AsyncConnection,
    mode: WatchedMode,
    seating: Seating,
    now: datetime,
    *,
    private: bool = False,
    cpu_players: int = 0,
) -> None:
    """Enter matches that begin, by one statement."""
    seats = [(match_id, account_id) for match_id, accounts in seating.items() for account_id in accounts]
    await connection.execute(
        text(
            "INSERT INTO live_match (match_id, mode, accounts, cpu_players, private, created_at)"
            " SELECT match_id, :mode, array_agg(account_id ORDER BY ordinality), :cpu_players, :private, :now"
            " FROM unnest(CAST(:matches AS uuid[]), CAST(:accounts AS uuid[]))"
            " WITH ORDINALITY AS s (match_id, account_id, ordinality) GROUP BY match_id"
        ),
        {
            "mode": mode.value,
            "cpu_players": cpu_players,
            "private": private,
            "now": now,
            "matches": [match_id for match_id, _account_id in seats],
            "accounts": [account_id for _match_id, account_id in seats],
        },
    )


async def invite(connection: AsyncConnection, match_id: UUID, code: str) -> None:
    """Make a match private, to be watched with a code."""
    await connection.execute(
        text("UPDATE live_match SET private = true, code = :code WHERE match_id = :match_id"),
        {"match_id": match_id, "code": code},
    )


async def inherit(connection: AsyncConnection, match_id: UUID, from_id: UUID) -> None:
    """Make a match as private as the one that it follows on, to be watched with the same code."""
    await connection.execute(
        text(
            "UPDATE live_match SET private = true, code = earlier.code FROM live_match earlier"
            " WHERE live_match.match_id = :match_id AND earlier.match_id = :from_id AND earlier.private"
        ),
        {"match_id": match_id, "from_id": from_id},
    )


async def end(connection: AsyncConnection, match_id: UUID, at: datetime) -> None:
    """Enter that a match has ended; a few that ended long ago are forgotten."""
    await connection.execute(
        text("UPDATE live_match SET ended_at = :at WHERE match_id = :match_id"),
        {"match_id": match_id, "at": at},
    )
    await connection.execute(
        text(
            "DELETE FROM live_match WHERE match_id IN (SELECT match_id FROM live_match"
            " WHERE ended_at < :before ORDER BY ended_at LIMIT :limit FOR UPDATE SKIP LOCKED)"
        ),
        {"before": at - KEPT, "limit": FORGET_MAX},
    )


async def find(connection: AsyncConnection, match_id: UUID) -> LiveMatch | None:
    """A match by its id; None where there is none, or it ended long ago."""
    result = await connection.execute(
        text("SELECT * FROM live_match WHERE match_id = :match_id"), {"match_id": match_id}
    )
    row = result.one_or_none()
    return None if row is None else _match(row)


async def listed(
    connection: AsyncConnection,
    mode: WatchedMode | None,
    shown_at: datetime,
    without: UUID,
    before: UUID | None,
    limit: int,
) -> Sequence[LiveMatch]:
    """The matches that were played at an instant and are not private, without an account's own.

    The newest first, those older than `before`; at most `limit`.
    """
    result = await connection.execute(
        text(
            "SELECT * FROM live_match WHERE NOT private"
            " AND created_at <= :shown_at AND (ended_at IS NULL OR ended_at > :shown_at)"
            " AND (CAST(:mode AS text) IS NULL OR mode = :mode) AND :without <> ALL (accounts)"
            " AND (CAST(:before AS uuid) IS NULL OR match_id < CAST(:before AS uuid))"
            " ORDER BY match_id DESC LIMIT :limit"
        ),
        {
            "shown_at": shown_at,
            "mode": None if mode is None else mode.value,
            "without": without,
            "before": before,
            "limit": limit,
        },
    )
    return [_match(row) for row in result]


def _match(row: Row[Any]) -> LiveMatch:
    return LiveMatch(
        as_uuid(row.match_id),
        WatchedMode(row.mode),
        tuple(map(as_uuid, row.accounts)),
        row.cpu_players,
        row.private,
        row.code,
        row.created_at,
    )
