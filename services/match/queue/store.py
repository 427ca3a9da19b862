"""Rows of the queues: tickets, live seats, opponents of last matches.

Tickets are taken under the lock of their queue, so of many matchmakers one works at a time; that an account
has one waiting ticket, and one live seat, is kept by unique indexes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    Met,
    Queue,
    Room,
    Seating,
    Standing,
    Table,
    Ticket,
    Waiting,
)

WAITS_MAX: Final = 40
RECENT: Final = timedelta(hours=1)
"""Waits that ended longer ago say nothing about the next one."""
FORGET_MAX: Final = 1_000

COLUMNS: Final = (
    "ticket_id, account_id, queue, created_at, expires_at, state, ended_at, match_id, code, seats, stake"
)


@dataclass(frozen=True, slots=True)
class NewMatch:
    """Tickets that become a match, by seat."""

    match_id: UUID
    tickets: Table

    @property
    def accounts(self) -> tuple[UUID, ...]:
        """Who plays, by seat."""
        return tuple(ticket.account_id for ticket in self.tickets)


def account_lock(account_id: UUID) -> str:
    """What is locked to enter a ticket, or to seat who has none; of several accounts in their order."""
    return f"account/{account_id}"


async def insert_ticket(connection: AsyncConnection, ticket: Ticket) -> bool:
    """Enter a waiting ticket; False when another one of the account waits."""
    result = await connection.execute(
        text(
            "INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at, code, seats,"
            " stake) VALUES (:ticket_id, :account_id, :queue, 'waiting', :created_at, :expires_at, :code,"
            " :seats, :stake)"
            " ON CONFLICT (account_id) WHERE state = 'waiting' DO NOTHING"
        ),
        {
            "ticket_id": ticket.ticket_id,
            "account_id": ticket.account_id,
            "queue": ticket.queue.value,
            "created_at": ticket.created_at,
            "expires_at": ticket.expires_at,
            "code": ticket.room and ticket.room.code,
            "seats": ticket.room and ticket.room.seats,
            "stake": ticket.room and ticket.room.stake,
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


async def ended_of(connection: AsyncConnection, ticket_ids: Sequence[UUID], now: datetime) -> list[UUID]:
    """Those of the tickets that wait no more, by being entered so or by their time."""
    result = await connection.execute(
        text(
            "SELECT ticket_id FROM ticket WHERE ticket_id = ANY(:ids)"
            " AND (state <> 'waiting' OR expires_at <= :now)"
        ),
        {"ids": list(ticket_ids), "now": now},
    )
    return [as_uuid(ticket_id) for ticket_id in result.scalars()]


async def seat_of(connection: AsyncConnection, account_id: UUID) -> UUID | None:
    """The match in which an account has a live seat."""
    match_id = await connection.scalar(
        text("SELECT match_id FROM live_seat WHERE account_id = :account_id"), {"account_id": account_id}
    )
    return None if match_id is None else as_uuid(match_id)


async def free_seats(connection: AsyncConnection, match_id: UUID) -> None:
    """Let the players of a match queue again; call it in the transaction of the match's end."""
    await connection.execute(text("DELETE FROM live_seat WHERE match_id = :match_id"), {"match_id": match_id})


async def free_seat(connection: AsyncConnection, match_id: UUID, account_id: UUID) -> None:
    """Let one player of a match queue again, who has left it for good."""
    await connection.execute(
        text("DELETE FROM live_seat WHERE match_id = :match_id AND account_id = :account_id"),
        {"match_id": match_id, "account_id": account_id},
    )


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
        " WHERE queue = :queue AND state = 'waiting' AND code IS NULL AND expires_at > :until"
        " AND NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = t.account_id)"
        " ORDER BY place LIMIT :limit FOR UPDATE SKIP LOCKED"
    )
    values = {"queue": queue.value, "until": until, "limit": limit}
    return [_ticket(row) for row in await connection.execute(text(query), values)]


async def take_invited(connection: AsyncConnection, code: str, now: datetime) -> list[Ticket]:
    """The tickets that wait with a code for one private game, as they arrived; locked."""
    query = (
        f"SELECT {COLUMNS} FROM ticket t"  # noqa: S608
        " WHERE code = :code AND state = 'waiting' AND expires_at > :now"
        " AND NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = t.account_id)"
        " ORDER BY place FOR UPDATE"
    )
    return [_ticket(row) for row in await connection.execute(text(query), {"code": code, "now": now})]


async def was_invited(connection: AsyncConnection, code: str) -> bool:
    """Whether a private game has, or of late had, this code."""
    found = await connection.scalar(
        text("SELECT EXISTS (SELECT FROM ticket WHERE code = :code)"), {"code": code}
    )
    return bool(found)


async def wrong_codes(connection: AsyncConnection, account_id: UUID, since: datetime) -> list[datetime]:
    """When an account gave codes that nobody has, since then, the latest first."""
    result = await connection.execute(
        text("SELECT at FROM wrong_code WHERE account_id = :account_id AND at > :since ORDER BY at DESC"),
        {"account_id": account_id, "since": since},
    )
    return list(result.scalars())


async def enter_wrong_code(
    connection: AsyncConnection, account_id: UUID, at: datetime, forget_before: datetime
) -> None:
    """Enter that an account gave a code that nobody has; forget what is too old to count."""
    await connection.execute(
        text("DELETE FROM wrong_code WHERE account_id = :account_id AND at <= :before"),
        {"account_id": account_id, "before": forget_before},
    )
    await connection.execute(
        text("INSERT INTO wrong_code (account_id, at) VALUES (:account_id, :at)"),
        {"account_id": account_id, "at": at},
    )


async def last_opponents(connection: AsyncConnection, queue: Queue, accounts: Iterable[UUID]) -> Met:
    """Whom each of the accounts met in its last match of this queue."""
    result = await connection.execute(
        text(
            "SELECT account_id, opponent_ids FROM last_opponents"
            " WHERE queue = :queue AND account_id = ANY(:accounts)"
        ),
        {"queue": queue.value, "accounts": list(accounts)},
    )
    return {as_uuid(account_id): frozenset(map(as_uuid, opponents)) for account_id, opponents in result}


async def take_seats(
    connection: AsyncConnection, matches: Sequence[NewMatch], now: datetime
) -> list[NewMatch]:
    """Seat the players of new matches; return the matches of which all are seated. The others have no seat.

    Somebody with a ticket may have been seated elsewhere since it was taken: by the start of a group's race.
    """
    seats = [(account_id, new.match_id) for new in matches for account_id in new.accounts]
    result = await connection.execute(
        text(
            "INSERT INTO live_seat (account_id, match_id, since)"
            " SELECT account_id, match_id, :now"
            " FROM unnest(CAST(:accounts AS uuid[]), CAST(:matches AS uuid[])) AS m (account_id, match_id)"
            " ORDER BY account_id"  # as rematches do: nobody waits crosswise
            " ON CONFLICT (account_id) DO NOTHING RETURNING account_id"
        ),
        {
            "accounts": [account_id for account_id, _match_id in seats],
            "matches": [match_id for _account_id, match_id in seats],
            "now": now,
        },
    )
    seated = frozenset(map(as_uuid, result.scalars()))
    whole = [new for new in matches if seated.issuperset(new.accounts)]
    for new in matches:
        if not seated.issuperset(new.accounts):
            await free_seats(connection, new.match_id)
    return whole


async def enter_matches(
    connection: AsyncConnection, queue: Queue, matches: Sequence[NewMatch], now: datetime
) -> None:
    """Enter that tickets were matched, and whom their accounts meet, who sit in the matches already."""
    seats = [(ticket, new.match_id) for new in matches for ticket in new.tickets]
    matched = await connection.execute(
        text(
            "UPDATE ticket SET state = 'matched', ended_at = :now, match_id = m.match_id"
            " FROM unnest(CAST(:tickets AS uuid[]), CAST(:matches AS uuid[])) AS m (ticket_id, match_id)"
            " WHERE ticket.ticket_id = m.ticket_id AND state = 'waiting'"
        ),
        {
            "tickets": [ticket.ticket_id for ticket, _match_id in seats],
            "matches": [match_id for _ticket, match_id in seats],
            "now": now,
        },
    )
    assert matched.rowcount == len(seats), "a ticket that was locked still waits"
    await enter_opponents(connection, queue, {new.match_id: new.accounts for new in matches})


async def enter_opponents(connection: AsyncConnection, queue: Queue, seating: Seating) -> None:
    """Enter whom the players of new matches meet, who sit in them already."""
    seats = [(account_id, match_id) for match_id, accounts in seating.items() for account_id in accounts]
    await connection.execute(
        text(
            "INSERT INTO last_opponents (queue, account_id, opponent_ids)"
            " SELECT :queue, one.account_id, array_agg(other.account_id)"
            " FROM unnest(CAST(:accounts AS uuid[]), CAST(:matches AS uuid[])) AS one (account_id, match_id)"
            " JOIN live_seat other USING (match_id)"
            " WHERE other.account_id <> one.account_id"
            " GROUP BY one.account_id"
            " ON CONFLICT (queue, account_id) DO UPDATE SET opponent_ids = excluded.opponent_ids"
        ),
        {
            "queue": queue.value,
            "accounts": [account_id for account_id, _match_id in seats],
            "matches": [match_id for _account_id, match_id in seats],
        },
    )


async def read_expectation(
    connection: AsyncConnection, queue: Queue, account_id: UUID, now: datetime
) -> Expectation:
    """What there is to know about the next wait of an account."""
    needed = queue.seats_min - 1
    others = await connection.scalar(
        text(
            "SELECT count(*) FROM (SELECT FROM ticket WHERE queue = :queue AND state = 'waiting'"
            " AND code IS NULL AND expires_at > :now AND account_id <> :account_id LIMIT :needed) AS others"
        ),
        {"queue": queue.value, "now": now, "account_id": account_id, "needed": needed},
    )
    rows = await connection.execute(
        text(
            "SELECT match_id, ended_at - created_at FROM ticket"
            " WHERE state <> 'waiting' AND state = 'matched' AND queue = :queue AND ended_at > :since"
            " AND code IS NULL"
            " ORDER BY ended_at DESC LIMIT :limit"
        ),
        {"queue": queue.value, "since": now - RECENT, "limit": WAITS_MAX},
    )
    longest: dict[UUID, timedelta] = {}
    for match_id, wait in rows:  # who came last found the others: that is no wait
        longest[match_id] = max(wait, longest.get(match_id, timedelta()))
    return Expectation(tuple(longest.values()), others == needed)


async def oldest_wait(connection: AsyncConnection, now: datetime) -> timedelta:
    """How long the first of all waiting tickets has waited; 0 when none waits."""
    oldest: datetime | None = await connection.scalar(
        text(
            "SELECT min(created_at) FROM ticket"
            " WHERE state = 'waiting' AND code IS NULL AND expires_at > :now"
        ),
        {"now": now},
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
        None if row.code is None else Room(row.code, row.seats or Queue(row.queue).seats, row.stake),
    )
