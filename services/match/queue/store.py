"""Rows of the queues: tickets, live seats, last opponents.

Tickets are taken under the lock of their queue, so of many matchmakers one works at a time; that an account
has one waiting ticket, and one live seat, is kept by unique indexes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.queueing import (
    Cancelled,
    Expectation,
    Expired,
    Matched,
    Queue,
    Standing,
    Ticket,
    Waiting,
)

WAITS_MAX: Final = 40
RECENT: Final = timedelta(hours=1)
"""Waits that ended longer ago say nothing about the next one."""
FORGET_MAX: Final = 1_000

COLUMNS: Final = "ticket_id, account_id, queue, created_at, expires_at, state, ended_at, match_id"


@dataclass(frozen=True, slots=True)
class NewMatch:
    """Two tickets that become a match."""

    match_id: UUID
    first: Ticket
    second: Ticket


async def insert_ticket(connection: AsyncConnection, ticket: Ticket) -> bool:
    """Enter a waiting ticket; False when another one of the account waits."""
    result = await connection.execute(
        text(
            "INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at)"
            " VALUES (:ticket_id, :account_id, :queue, 'waiting', :created_at, :expires_at)"
            " ON CONFLICT (account_id) WHERE state = 'waiting' DO NOTHING"
        ),
        {
            "ticket_id": ticket.ticket_id,
            "account_id": ticket.account_id,
            "queue": ticket.queue.value,
            "created_at": ticket.created_at,
            "expires_at": ticket.expires_at,
        },
    )
    return result.rowcount == 1


async def find(connection: AsyncConnection, ticket_id: UUID, *, lock: bool = False) -> Ticket | None:
    """A ticket; with `lock` nobody else changes it until the transaction ends."""
    query = f"SELECT {COLUMNS} FROM ticket WHERE ticket_id = :ticket_id" + (" FOR UPDATE" if lock else "")  # noqa: S608 fixed columns
    row = (await connection.execute(text(query), {"ticket_id": ticket_id})).one_or_none()
    return None if row is None else _ticket(row)


async def latest_of(connection: AsyncConnection, account_id: UUID) -> Ticket | None:
    """An account's waiting ticket, which is its last one, or the last one of those that ended."""
    query = f"SELECT {COLUMNS} FROM ticket WHERE account_id = :account_id ORDER BY place DESC LIMIT 1"  # noqa: S608
    row = (await connection.execute(text(query), {"account_id": account_id})).one_or_none()
    return None if row is None else _ticket(row)


async def find_all(connection: AsyncConnection, ticket_ids: Sequence[UUID]) -> list[Ticket]:
    """Those of the tickets that exist."""
    query = f"SELECT {COLUMNS} FROM ticket WHERE ticket_id = ANY(:ids)"  # noqa: S608
    return [_ticket(row) for row in await connection.execute(text(query), {"ids": list(ticket_ids)})]


async def seat_of(connection: AsyncConnection, account_id: UUID) -> UUID | None:
    """The match in which an account has a live seat."""
    match_id = await connection.scalar(
        text("SELECT match_id FROM live_seat WHERE account_id = :account_id"), {"account_id": account_id}
    )
    return None if match_id is None else as_uuid(match_id)


async def free_seats(connection: AsyncConnection, match_id: UUID) -> None:
    """Let the players of a match queue again; call it in the transaction of the match's end."""
    await connection.execute(text("DELETE FROM live_seat WHERE match_id = :match_id"), {"match_id": match_id})


async def cancel_ticket(connection: AsyncConnection, ticket_id: UUID, at: datetime) -> None:
    """Enter that a waiting ticket was cancelled; the caller has locked it."""
    await connection.execute(
        text(
            "UPDATE ticket SET state = 'cancelled', ended_at = :at"
            " WHERE ticket_id = :ticket_id AND state = 'waiting'"
        ),
        {"ticket_id": ticket_id, "at": at},
    )


async def expire_of(connection: AsyncConnection, account_id: UUID, now: datetime) -> None:
    """Enter that an account's ticket has expired, if it has."""
    await connection.execute(
        text(
            "UPDATE ticket SET state = 'expired', ended_at = expires_at"
            " WHERE account_id = :account_id AND state = 'waiting' AND expires_at <= :now"
        ),
        {"account_id": account_id, "now": now},
    )


async def expire_due(connection: AsyncConnection, now: datetime) -> list[UUID]:
    """Enter which tickets have expired, those that somebody works on excepted; return them."""
    result = await connection.execute(
        text(
            "UPDATE ticket SET state = 'expired', ended_at = expires_at WHERE ticket_id IN ("
            "   SELECT ticket_id FROM ticket WHERE state = 'waiting' AND expires_at <= :now"
            "   FOR UPDATE SKIP LOCKED) RETURNING ticket_id"
        ),
        {"now": now},
    )
    return [as_uuid(ticket_id) for ticket_id in result.scalars()]


async def forget_ended(connection: AsyncConnection, before: datetime) -> int:
    """Delete some of the tickets that ended before then; return how many."""
    result = await connection.execute(
        text(
            "DELETE FROM ticket WHERE ticket_id IN (SELECT ticket_id FROM ticket"
            " WHERE state <> 'waiting' AND ended_at < :before ORDER BY ended_at LIMIT :limit)"
        ),
        {"before": before, "limit": FORGET_MAX},
    )
    return result.rowcount


async def lock_queue(connection: AsyncConnection, queue: Queue) -> bool:
    """Take the right to match a queue until the transaction ends; False when somebody else has it."""
    taken: bool | None = await connection.scalar(
        text(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ':queue/' || :queue, 0))"
        ),
        {"queue": queue.value},
    )
    return bool(taken)


async def take_waiting(
    connection: AsyncConnection, queue: Queue, until: datetime, limit: int
) -> list[Ticket]:
    """The first tickets that wait beyond `until`, as they arrived; locked, so none is cancelled meanwhile."""
    query = (
        f"SELECT {COLUMNS} FROM ticket t"  # noqa: S608
        " WHERE queue = :queue AND state = 'waiting' AND expires_at > :until"
        " AND NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = t.account_id)"
        " ORDER BY place LIMIT :limit FOR UPDATE SKIP LOCKED"
    )
    values = {"queue": queue.value, "until": until, "limit": limit}
    return [_ticket(row) for row in await connection.execute(text(query), values)]


async def last_opponents(
    connection: AsyncConnection, queue: Queue, accounts: Iterable[UUID]
) -> Mapping[UUID, UUID]:
    """Whom each of the accounts met last in this queue."""
    result = await connection.execute(
        text(
            "SELECT account_id, opponent_id FROM last_opponent"
            " WHERE queue = :queue AND account_id = ANY(:accounts)"
        ),
        {"queue": queue.value, "accounts": list(accounts)},
    )
    return {as_uuid(account_id): as_uuid(opponent_id) for account_id, opponent_id in result}


async def enter_matches(
    connection: AsyncConnection, queue: Queue, matches: Sequence[NewMatch], now: datetime
) -> None:
    """Enter that tickets were matched, that their accounts sit in the matches, and whom they met."""
    seats = [
        (ticket.ticket_id, ticket.account_id, other.account_id, new.match_id)
        for new in matches
        for ticket, other in ((new.first, new.second), (new.second, new.first))
    ]
    tickets, accounts, opponents, match_ids = (list(column) for column in zip(*seats, strict=True))
    values = {
        "tickets": tickets,
        "accounts": accounts,
        "opponents": opponents,
        "matches": match_ids,
        "now": now,
        "queue": queue.value,
    }
    matched = await connection.execute(
        text(
            "UPDATE ticket SET state = 'matched', ended_at = :now, match_id = m.match_id"
            " FROM unnest(CAST(:tickets AS uuid[]), CAST(:matches AS uuid[])) AS m (ticket_id, match_id)"
            " WHERE ticket.ticket_id = m.ticket_id AND state = 'waiting'"
        ),
        {key: values[key] for key in ("tickets", "matches", "now")},
    )
    assert matched.rowcount == len(seats), "a ticket that was locked still waits"
    await connection.execute(
        text(
            "INSERT INTO live_seat (account_id, match_id, since)"
            " SELECT account_id, match_id, :now"
            " FROM unnest(CAST(:accounts AS uuid[]), CAST(:matches AS uuid[])) AS m (account_id, match_id)"
        ),
        {key: values[key] for key in ("accounts", "matches", "now")},
    )
    await connection.execute(
        text(
            "INSERT INTO last_opponent (queue, account_id, opponent_id)"
            " SELECT :queue, account_id, opponent_id"
            " FROM unnest(CAST(:accounts AS uuid[]), CAST(:opponents AS uuid[]))"
            " AS m (account_id, opponent_id)"
            " ON CONFLICT (queue, account_id) DO UPDATE SET opponent_id = excluded.opponent_id"
        ),
        {key: values[key] for key in ("queue", "accounts", "opponents")},
    )


async def read_expectation(
    connection: AsyncConnection, queue: Queue, account_id: UUID, now: datetime
) -> Expectation:
    """What there is to know about the next wait of an account."""
    another = await connection.scalar(
        text(
            "SELECT EXISTS (SELECT FROM ticket WHERE queue = :queue AND state = 'waiting'"
            " AND expires_at > :now AND account_id <> :account_id)"
        ),
        {"queue": queue.value, "now": now, "account_id": account_id},
    )
    rows = await connection.execute(
        text(
            "SELECT match_id, ended_at - created_at FROM ticket"
            " WHERE state <> 'waiting' AND state = 'matched' AND queue = :queue AND ended_at > :since"
            " ORDER BY ended_at DESC LIMIT :limit"
        ),
        {"queue": queue.value, "since": now - RECENT, "limit": WAITS_MAX},
    )
    longest: dict[UUID, timedelta] = {}
    for match_id, wait in rows:  # who came second found somebody: that is no wait
        longest[match_id] = max(wait, longest.get(match_id, timedelta()))
    return Expectation(tuple(longest.values()), bool(another))


async def oldest_wait(connection: AsyncConnection, now: datetime) -> timedelta:
    """How long the first of all waiting tickets has waited; 0 when none waits."""
    oldest: datetime | None = await connection.scalar(
        text("SELECT min(created_at) FROM ticket WHERE state = 'waiting' AND expires_at > :now"), {"now": now}
    )
    return timedelta() if oldest is None else max(timedelta(), now - oldest)


def _ticket(row: Row[Any]) -> Ticket:
    standings: dict[str, Standing] = {"waiting": Waiting()}
    if row.ended_at is not None:
        standings |= {"cancelled": Cancelled(row.ended_at), "expired": Expired(row.ended_at)}
    if row.match_id is not None:
        standings["matched"] = Matched(as_uuid(row.match_id), row.ended_at)
    return Ticket(
        as_uuid(row.ticket_id),
        as_uuid(row.account_id),
        Queue(row.queue),
        row.created_at,
        row.expires_at,
        standings[row.state],
    )
