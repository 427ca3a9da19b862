"""Rows of the queues of matches: what tickets keep beside what all do, and live seats."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from libs.queueing.matchmaker import NewGame
from libs.queueing.store import TicketRows, standing_of
from libs.rules.pairing.tickets import Room
from services.match.domain.queueing import Queue, Ticket

NewMatch: TypeAlias = NewGame[Ticket]


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


def _ticket(row: Row[Any]) -> Ticket:
    queue = Queue(row.queue)
    return Ticket(
        as_uuid(row.ticket_id),
        as_uuid(row.account_id),
        queue,
        row.created_at,
        row.expires_at,
        standing_of(row),
        None if row.code is None else Room(row.code, row.seats or queue.seats, row.stake),
    )


def _more(ticket: Ticket) -> dict[str, object]:
    room = ticket.room
    return {"seats": room and room.seats, "stake": room and room.stake}


TICKETS: Final = TicketRows(_ticket, _more, ("seats", "stake"))
