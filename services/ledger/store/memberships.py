"""Rows of club memberships. Every function works inside the caller's transaction."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.memberships import Interval, Joined, Left

ENTER: Final = text(
    """
    INSERT INTO club_membership (club, account, joined_version, joined_at)
    SELECT :club, :account, :version, :at
    WHERE NOT EXISTS (
        SELECT FROM club_membership
        WHERE (club, account) = (:club, :account) AND joined_version < :version
          AND (left_at IS NULL OR left_at > :at)
    )
    ON CONFLICT (club, account, joined_version) DO UPDATE SET joined_at = excluded.joined_at
    """
)
LEAVE: Final = text(
    """
    UPDATE club_membership SET left_at = :at
    WHERE (club, account) = (:club, :account) AND joined_version = (
        SELECT max(joined_version) FROM club_membership
        WHERE (club, account) = (:club, :account) AND joined_version < :version
    ) AND joined_at <= :at AND (left_at IS NULL OR left_at = :at)
    """
)
INTERVALS: Final = text(
    "SELECT account, joined_at, left_at FROM club_membership WHERE club = :club ORDER BY account, joined_at"
)


async def apply(connection: AsyncConnection, move: Joined | Left) -> bool:
    """Enter or end a membership, once however often it is told.

    False, and nothing is changed, where the fact does not follow on what is known: a player comes in whose
    earlier membership lasts, or leaves who is not in.
    """
    statement = ENTER if isinstance(move, Joined) else LEAVE
    values = {"club": move.club, "account": move.account, "version": move.version, "at": move.at}
    return (await connection.execute(statement, values)).rowcount == 1


async def intervals(connection: AsyncConnection, club: UUID) -> list[Interval]:
    """Return all memberships of a club, ended ones too; none for a club that nobody ever was in."""
    rows = await connection.execute(INTERVALS, {"club": club})
    return [Interval(str(row.account), row.joined_at, row.left_at) for row in rows]
