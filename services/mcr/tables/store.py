"""Rows of tables: who sits where and is there, which tables are open, which walls have been dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid

SYSTEM: Final = uuid5(NAMESPACE_URL, "sparrow:service:mcr")
"""Who acts where no player does."""
KEPT: Final = timedelta(hours=2)
"""How long after its end a table is known as one that was played: more than any delay of watching."""
FORGET_MAX: Final = 10


@dataclass(frozen=True, slots=True)
class LiveSeat:
    """The seat of an account that sits at a table."""

    account_id: UUID
    table_id: UUID
    seen_until: datetime
    is_lost: bool
    """The AI plays, since the stream was lost for too long."""


@dataclass(frozen=True, slots=True)
class NewSeats:
    """A table that begins, as its rows say it."""

    table_id: UUID
    deal_id: UUID
    accounts: tuple[UUID, ...]
    """The persons, by seat."""
    private: bool


def account_lock(account_id: UUID) -> str:
    """What is locked to seat an account, or to let it wait for a seat; of several accounts in their order."""
    return f"account/{account_id}"


async def seat_of(connection: AsyncConnection, account_id: UUID) -> UUID | None:
    """The table at which an account sits. One who has left a table sits there no more."""
    table_id = await connection.scalar(
        text("SELECT table_id FROM live_seat WHERE account_id = :account_id"), {"account_id": account_id}
    )
    return None if table_id is None else as_uuid(table_id)


async def open_tables_of(connection: AsyncConnection, account_id: UUID, limit: int) -> int:
    """At how many open tables an account has sat down, those that it has left among them; at most `limit`."""
    found = await connection.scalar(
        text(
            "SELECT count(*) FROM (SELECT FROM live_table"
            " WHERE ended_at IS NULL AND :account_id = ANY (accounts) LIMIT :limit) AS t"
        ),
        {"account_id": account_id, "limit": limit},
    )
    return int(found or 0)


async def ticket_of(connection: AsyncConnection, account_id: UUID, now: datetime) -> UUID | None:
    """The ticket with which an account waits for a table."""
    ticket_id = await connection.scalar(
        text(
            "SELECT ticket_id FROM ticket"
            " WHERE account_id = :account_id AND state = 'waiting' AND expires_at > :now"
        ),
        {"account_id": account_id, "now": now},
    )
    return None if ticket_id is None else as_uuid(ticket_id)


async def enter_tables(connection: AsyncConnection, tables: Sequence[NewSeats], now: datetime) -> None:
    """Enter tables that begin, and seat their persons: a statement for the tables and one for the seats."""
    await connection.execute(
        text(
            "INSERT INTO live_table (table_id, deal_id, number, accounts, private, created_at)"
            " VALUES (:table_id, :deal_id, 1, :accounts, :private, :now)"
        ),
        [
            {
                "table_id": table.table_id,
                "deal_id": table.deal_id,
                "accounts": list(table.accounts),
                "private": table.private,
                "now": now,
            }
            for table in tables
        ],
    )
    seats = [(account_id, table.table_id) for table in tables for account_id in table.accounts]
    if seats:
        await connection.execute(
            text(
                "INSERT INTO live_seat (account_id, table_id, since, seen_until)"
                " SELECT account_id, table_id, :now, :now"
                " FROM unnest(CAST(:accounts AS uuid[]), CAST(:tables AS uuid[])) AS s (account_id, table_id)"
            ),
            {
                "accounts": [account_id for account_id, _table_id in seats],
                "tables": [table_id for _account_id, table_id in seats],
                "now": now,
            },
        )


async def enter_deal(connection: AsyncConnection, table_id: UUID, deal_id: UUID, number: int) -> None:
    """Enter the next deal of a table."""
    await connection.execute(
        text("UPDATE live_table SET deal_id = :deal_id, number = :number WHERE table_id = :table_id"),
        {"table_id": table_id, "deal_id": deal_id, "number": number},
    )


async def close_table(connection: AsyncConnection, table_id: UUID, at: datetime) -> None:
    """Free the seats of a table that closes; a few that closed long ago are forgotten."""
    await connection.execute(text("DELETE FROM live_seat WHERE table_id = :table_id"), {"table_id": table_id})
    await connection.execute(
        text("UPDATE live_table SET ended_at = :at WHERE table_id = :table_id"),
        {"table_id": table_id, "at": at},
    )
    await connection.execute(
        text(
            "DELETE FROM live_table WHERE table_id IN (SELECT table_id FROM live_table"
            " WHERE ended_at < :before ORDER BY ended_at LIMIT :limit FOR UPDATE SKIP LOCKED)"
        ),
        {"before": at - KEPT, "limit": FORGET_MAX},
    )


async def lock_seat(connection: AsyncConnection, account_id: UUID) -> LiveSeat | None:
    """The seat of an account; nobody else changes it until the transaction ends."""
    result = await connection.execute(
        text("SELECT * FROM live_seat WHERE account_id = :account_id FOR UPDATE"), {"account_id": account_id}
    )
    row = result.one_or_none()
    return None if row is None else _seat(row)


async def take_seat(
    connection: AsyncConnection, account_id: UUID, table_id: UUID, at: datetime, seen_until: datetime
) -> None:
    """Seat an account, or one that was lost again; the caller has found it seated nowhere else."""
    await connection.execute(
        text(
            "INSERT INTO live_seat (account_id, table_id, since, seen_until)"
            " VALUES (:account_id, :table_id, :at, :seen_until)"
            " ON CONFLICT (account_id) DO UPDATE SET is_lost = false,"
            " seen_until = greatest(live_seat.seen_until, excluded.seen_until)"
        ),
        {"account_id": account_id, "table_id": table_id, "at": at, "seen_until": seen_until},
    )


async def lose_seat(connection: AsyncConnection, account_id: UUID, table_id: UUID) -> None:
    """Enter that the AI plays for an account that is still seated."""
    await connection.execute(
        text("UPDATE live_seat SET is_lost = true WHERE account_id = :account_id AND table_id = :table_id"),
        {"account_id": account_id, "table_id": table_id},
    )


async def leave_seat(connection: AsyncConnection, account_id: UUID, table_id: UUID) -> None:
    """Let an account sit elsewhere."""
    await connection.execute(
        text("DELETE FROM live_seat WHERE account_id = :account_id AND table_id = :table_id"),
        {"account_id": account_id, "table_id": table_id},
    )


async def leave_lost_seat(connection: AsyncConnection, account_id: UUID, table_id: UUID) -> bool:
    """Let an account sit elsewhere that was lost here, and for which the AI plays; False for others."""
    result = await connection.execute(
        text("DELETE FROM live_seat WHERE account_id = :account_id AND table_id = :table_id AND is_lost"),
        {"account_id": account_id, "table_id": table_id},
    )
    return result.rowcount == 1


async def vouch(
    connection: AsyncConnection, seats: Sequence[tuple[UUID, UUID]], until: datetime, *, wait: bool
) -> list[LiveSeat]:
    """Enter that seats, each an account and its table, have a stream until then; return those that were lost.

    One statement, however many they are. Unless told to `wait`, it leaves out those that others change right
    now: so many rows are not locked in anybody's order.
    """
    skip = "" if wait else " SKIP LOCKED"
    result = await connection.execute(
        text(
            "WITH held AS (SELECT l.account_id FROM live_seat l"  # noqa: S608 one of two endings
            " JOIN unnest(CAST(:accounts AS uuid[]), CAST(:tables AS uuid[])) AS s (account_id, table_id)"
            f" USING (account_id, table_id) FOR UPDATE OF l{skip})"
            " UPDATE live_seat l SET seen_until = :until FROM held"
            " WHERE l.account_id = held.account_id RETURNING l.*"
        ),
        {
            "accounts": [account_id for account_id, _table_id in seats],
            "tables": [table_id for _account_id, table_id in seats],
            "until": until,
        },
    )
    return [_seat(row) for row in result.all() if row.is_lost]


async def let_go(connection: AsyncConnection, account_id: UUID, table_id: UUID, at: datetime) -> None:
    """Enter that the stream of a seat has ended."""
    await connection.execute(
        text(
            "UPDATE live_seat SET seen_until = least(seen_until, :at)"
            " WHERE account_id = :account_id AND table_id = :table_id"
        ),
        {"account_id": account_id, "table_id": table_id, "at": at},
    )


async def unseen(connection: AsyncConnection, before: datetime, limit: int) -> list[LiveSeat]:
    """Seats without a stream since before then that the AI does not play yet, the longest first."""
    result = await connection.execute(
        text(
            "SELECT * FROM live_seat WHERE NOT is_lost AND seen_until <= :before"
            " ORDER BY seen_until LIMIT :limit"
        ),
        {"before": before, "limit": limit},
    )
    return [_seat(row) for row in result.all()]


async def claim_walls(connection: AsyncConnection, walls: Mapping[UUID, bytes]) -> frozenset[UUID]:
    """Keep walls for deals, given by deal; return the deals whose wall no other one had before."""
    result = await connection.execute(
        text(
            "INSERT INTO dealt_wall (wall_sha256, deal_id) SELECT wall_sha256, deal_id"
            " FROM unnest(CAST(:walls AS bytea[]), CAST(:deals AS uuid[])) AS d (wall_sha256, deal_id)"
            " ON CONFLICT DO NOTHING RETURNING deal_id"
        ),
        {"walls": list(walls.values()), "deals": list(walls)},
    )
    return frozenset(map(as_uuid, result.scalars()))


def _seat(row: Row[Any]) -> LiveSeat:
    return LiveSeat(as_uuid(row.account_id), as_uuid(row.table_id), row.seen_until, row.is_lost)
