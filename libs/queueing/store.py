"""Rows of queues: tickets, and opponents of last games.

Tickets are taken under the lock of their queue, so of many matchmakers one works at a time; that an account
has one waiting ticket is kept by a unique index, and so is its one live seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from libs.rules.pairing.choosing import Met
from libs.rules.pairing.tickets import Cancelled, Expectation, Expired, Matched, Standing, T, Waiting

WAITS_MAX: Final = 40
RECENT: Final = timedelta(hours=1)
"""Waits that ended longer ago say nothing about the next one."""
FORGET_MAX: Final = 1_000
COLUMNS: Final = (
    "ticket_id",
    "account_id",
    "queue",
    "created_at",
    "expires_at",
    "state",
    "ended_at",
    "match_id",
    "code",
)
"""Of every service's tickets."""


@dataclass(frozen=True, slots=True)
class TicketRows(Generic[T]):
    """How tickets of a service are read from rows, and what they keep beside `COLUMNS`."""

    read: Callable[[Row[Any]], T]
    more: Callable[[T], Mapping[str, object]]
    """Values of a new ticket, by column; of every ticket the same columns."""
    more_columns: tuple[str, ...]

    @property
    def columns(self) -> str:
        """What is selected."""
        return ", ".join((*COLUMNS, *self.more_columns))

    async def insert(self, connection: AsyncConnection, ticket: T) -> bool:
        """Enter a waiting ticket; False when another one of the account waits."""
        columns = ("ticket_id", "account_id", "queue", "created_at", "expires_at", "code", *self.more_columns)
        values = {
            "ticket_id": ticket.ticket_id,
            "account_id": ticket.account_id,
            "queue": ticket.queue.value,
            "created_at": ticket.created_at,
            "expires_at": ticket.expires_at,
            "code": ticket.room and ticket.room.code,
            **self.more(ticket),
        }
        statement = (
            f"INSERT INTO ticket (state, {', '.join(columns)})"  # noqa: S608 fixed columns
            f" VALUES ('waiting', {', '.join(':' + column for column in columns)})"
            " ON CONFLICT (account_id) WHERE state = 'waiting' DO NOTHING"
        )
        return (await connection.execute(text(statement), values)).rowcount == 1

    async def find(self, connection: AsyncConnection, ticket_id: UUID, *, lock: bool = False) -> T | None:
        """A ticket; with `lock` nobody else changes it until the transaction ends."""
        found = "ticket_id = :ticket_id" + (" FOR UPDATE" if lock else "")
        rows = await self._select(connection, found, {"ticket_id": ticket_id})
        return rows[0] if rows else None

    async def latest_of(self, connection: AsyncConnection, account_id: UUID) -> T | None:
        """An account's waiting ticket, which is its last one, or the last one of those that ended."""
        latest = "account_id = :account_id ORDER BY place DESC LIMIT 1"
        rows = await self._select(connection, latest, {"account_id": account_id})
        return rows[0] if rows else None

    async def take_waiting(
        self, connection: AsyncConnection, queue: str, until: datetime, limit: int
    ) -> list[T]:
        """The first tickets that wait beyond `until`, as they arrived; locked, so none is cancelled."""
        waiting = (
            "queue = :queue AND state = 'waiting' AND code IS NULL AND expires_at > :until"
            " AND NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = ticket.account_id)"
            " ORDER BY place LIMIT :limit FOR UPDATE SKIP LOCKED"
        )
        return await self._select(connection, waiting, {"queue": queue, "until": until, "limit": limit})

    async def take_invited(self, connection: AsyncConnection, code: str, now: datetime) -> list[T]:
        """The tickets that wait with a code for one private game, as they arrived; locked."""
        invited = (
            "code = :code AND state = 'waiting' AND expires_at > :now"
            " AND NOT EXISTS (SELECT FROM live_seat s WHERE s.account_id = ticket.account_id)"
            " ORDER BY place FOR UPDATE"
        )
        return await self._select(connection, invited, {"code": code, "now": now})

    async def _select(self, connection: AsyncConnection, which: str, values: Mapping[str, object]) -> list[T]:
        statement = f"SELECT {self.columns} FROM ticket WHERE {which}"  # noqa: S608 fixed texts
        return [self.read(row) for row in await connection.execute(text(statement), values)]


def standing_of(row: Row[Any]) -> Standing:
    """What became of a ticket."""
    match row.state:
        case "matched":
            return Matched(as_uuid(row.match_id), row.ended_at)
        case "cancelled":
            return Cancelled(row.ended_at)
        case "expired":
            return Expired(row.ended_at)
    return Waiting()


def account_lock(account_id: UUID) -> str:
    """What is locked to enter a ticket, or to seat who has none; of several accounts in their order."""
    return f"account/{account_id}"


async def lock_accounts(connection: AsyncConnection, accounts: Iterable[UUID]) -> None:
    """Take the locks of accounts in their order, as `Transaction.lock` takes `account_lock`."""
    await connection.execute(
        text(
            "SELECT pg_advisory_xact_lock("
            "   hashtextextended(current_schema() || CAST(:lock AS text) || account_id, 0))"
            " FROM (SELECT account_id FROM unnest(CAST(:accounts AS uuid[])) AS a (account_id)"
            "   ORDER BY account_id) AS ordered"
        ),
        {"lock": ":account/", "accounts": list(accounts)},
    )


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


async def lock_queue(connection: AsyncConnection, queue: str) -> bool:
    """Take the right to match a queue until the transaction ends; False when somebody else has it."""
    taken: bool | None = await connection.scalar(
        text(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ':queue/' || :queue, 0))"
        ),
        {"queue": queue},
    )
    return bool(taken)


async def was_invited(connection: AsyncConnection, code: str) -> bool:
    """Whether a private game has, or of late had, this code."""
    found = await connection.scalar(
        text("SELECT EXISTS (SELECT FROM ticket WHERE code = :code)"), {"code": code}
    )
    return bool(found)


async def last_opponents(connection: AsyncConnection, queue: str, accounts: Iterable[UUID]) -> Met:
    """Whom each of the accounts met in its last game of this queue."""
    result = await connection.execute(
        text(
            "SELECT account_id, opponent_ids FROM last_opponents"
            " WHERE queue = :queue AND account_id = ANY(:accounts)"
        ),
        {"queue": queue, "accounts": list(accounts)},
    )
    return {as_uuid(account_id): frozenset(map(as_uuid, opponents)) for account_id, opponents in result}


async def enter_opponents(
    connection: AsyncConnection, queue: str, seating: Mapping[UUID, Sequence[UUID]]
) -> None:
    """Enter whom the players of new games meet; who plays against nobody has met nobody anew."""
    seats = [(account_id, match_id) for match_id, accounts in seating.items() for account_id in accounts]
    await connection.execute(
        text(
            "WITH seat AS (SELECT * FROM unnest(CAST(:accounts AS uuid[]), CAST(:matches AS uuid[]))"
            "   AS s (account_id, match_id))"
            " INSERT INTO last_opponents (queue, account_id, opponent_ids)"
            " SELECT :queue, one.account_id, array_agg(other.account_id)"
            " FROM seat one JOIN seat other USING (match_id)"
            " WHERE other.account_id <> one.account_id"
            " GROUP BY one.account_id"
            " ON CONFLICT (queue, account_id) DO UPDATE SET opponent_ids = excluded.opponent_ids"
        ),
        {
            "queue": queue,
            "accounts": [account_id for account_id, _match_id in seats],
            "matches": [match_id for _account_id, match_id in seats],
        },
    )


async def enter_matched(
    connection: AsyncConnection, matched: Mapping[UUID, Sequence[UUID]], now: datetime
) -> None:
    """Enter to which game tickets led: by game, tickets that the caller has locked."""
    pairs = [(ticket_id, match_id) for match_id, tickets in matched.items() for ticket_id in tickets]
    entered = await connection.execute(
        text(
            "UPDATE ticket SET state = 'matched', ended_at = :now, match_id = m.match_id"
            " FROM unnest(CAST(:tickets AS uuid[]), CAST(:matches AS uuid[])) AS m (ticket_id, match_id)"
            " WHERE ticket.ticket_id = m.ticket_id AND state = 'waiting'"
        ),
        {
            "tickets": [ticket_id for ticket_id, _match_id in pairs],
            "matches": [match_id for _ticket_id, match_id in pairs],
            "now": now,
        },
    )
    assert entered.rowcount == len(pairs), "a ticket that was locked still waits"


async def read_expectation(
    connection: AsyncConnection, queue: str, account_id: UUID, now: datetime, needed: int
) -> Expectation:
    """What there is to know about the next wait of an account, for a game with `needed` others."""
    others, oldest_at = (
        await connection.execute(
            text(
                "SELECT count(*), min(created_at) FROM (SELECT created_at FROM ticket"
                " WHERE queue = :queue AND state = 'waiting' AND code IS NULL AND expires_at > :now"
                " AND account_id <> :account_id ORDER BY place LIMIT :needed) AS others"
            ),
            {"queue": queue, "now": now, "account_id": account_id, "needed": needed},
        )
    ).one()
    rows = await connection.execute(
        text(
            "SELECT match_id, ended_at - created_at FROM ticket"
            " WHERE state <> 'waiting' AND state = 'matched' AND queue = :queue AND ended_at > :since"
            " AND code IS NULL"
            " ORDER BY ended_at DESC LIMIT :limit"
        ),
        {"queue": queue, "since": now - RECENT, "limit": WAITS_MAX},
    )
    longest: dict[UUID, timedelta] = {}
    for match_id, wait in rows:  # who came last found the others: that is no wait
        longest[match_id] = max(wait, longest.get(match_id, timedelta()))
    return Expectation(tuple(longest.values()), others == needed, oldest_at)


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
