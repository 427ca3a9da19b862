"""Rows of tournaments' tables, and the seats of those who play there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.queueing import Seating
from services.match.domain.rivals.stage import TournamentStage


async def enter_tables(
    connection: AsyncConnection, laid_down: TournamentStage, seating: Seating
) -> frozenset[UUID]:
    """Enter tables by their matches; return those that were not there before.

    Whoever enters one of them in another transaction is waited for, so a table is begun once.
    """
    seats = [(match_id, account_id) for match_id, accounts in seating.items() for account_id in accounts]
    result = await connection.execute(
        text(
            "INSERT INTO tournament_table"
            " (match_id, tournament_id, round_number, round_limit, ends_at, accounts)"
            " SELECT match_id, :tournament_id, :round_number, :round_limit, :ends_at,"
            "   array_agg(account_id ORDER BY ordinality)"
            " FROM unnest(CAST(:matches AS uuid[]), CAST(:accounts AS uuid[]))"
            " WITH ORDINALITY AS s (match_id, account_id, ordinality) GROUP BY match_id"
            " ORDER BY match_id ON CONFLICT DO NOTHING RETURNING match_id"
        ),
        {
            "tournament_id": laid_down.tournament_id,
            "round_number": laid_down.round_number,
            "round_limit": laid_down.round_limit,
            "ends_at": laid_down.ends_at,
            "matches": [match_id for match_id, _account_id in seats],
            "accounts": [account_id for _match_id, account_id in seats],
        },
    )
    return frozenset(map(as_uuid, result.scalars()))


async def known_tables(
    connection: AsyncConnection, match_ids: Collection[UUID]
) -> dict[UUID, tuple[TournamentStage, tuple[UUID, ...]]]:
    """What tables were begun with: by match, with the accounts by seat; those that are not there left out."""
    result = await connection.execute(
        text("SELECT * FROM tournament_table WHERE match_id = ANY(:match_ids)"),
        {"match_ids": list(match_ids)},
    )
    return {
        as_uuid(row.match_id): (
            TournamentStage(as_uuid(row.tournament_id), row.round_number, row.round_limit, row.ends_at),
            tuple(map(as_uuid, row.accounts)),
        )
        for row in result
    }


async def cancel_waiting(
    connection: AsyncConnection, accounts: Collection[UUID], at: datetime
) -> Sequence[UUID]:
    """Cancel the waiting tickets of accounts, which are locked, so that no new one comes; return them.

    A ticket that somebody else has taken is waited for, and stays as it is where a match came of it.
    """
    result = await connection.execute(
        text(
            "WITH waiting AS (SELECT ticket_id FROM ticket"
            "   WHERE account_id = ANY(:accounts) AND state = 'waiting'"
            "   ORDER BY place FOR UPDATE)"  # as private games take them: nobody waits crosswise
            " UPDATE ticket SET state = 'cancelled', ended_at = :at FROM waiting"
            " WHERE ticket.ticket_id = waiting.ticket_id AND ticket.state = 'waiting'"
            " RETURNING ticket.ticket_id"
        ),
        {"accounts": list(accounts), "at": at},
    )
    return list(map(as_uuid, result.scalars()))


async def take_free_seats(connection: AsyncConnection, seating: Seating, now: datetime) -> None:
    """Seat whoever has no live seat elsewhere; the others keep theirs."""
    seats = [(account_id, match_id) for match_id, accounts in seating.items() for account_id in accounts]
    await connection.execute(
        text(
            "INSERT INTO live_seat (account_id, match_id, since)"
            " SELECT account_id, match_id, :now"
            " FROM unnest(CAST(:accounts AS uuid[]), CAST(:matches AS uuid[])) AS m (account_id, match_id)"
            " ORDER BY account_id ON CONFLICT (account_id) DO NOTHING"
        ),
        {
            "accounts": [account_id for account_id, _match_id in seats],
            "matches": [match_id for _account_id, match_id in seats],
            "now": now,
        },
    )
