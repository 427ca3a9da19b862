"""Rows of matches of several seats: they follow from events, and are written in the events' transactions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.listing import ListedMatch, ListedSeat
from services.match.domain.rivals.match_events import MatchCreated, QuickMatchEnded
from services.match.domain.rivals.terms import EndReason, SeatEnd


async def claim_deal(connection: AsyncConnection, deal_sha256: bytes, round_id: UUID) -> bool:
    """Keep a deal for a round; False when another round had it before."""
    result = await connection.execute(
        text(
            "INSERT INTO round_deal (deal_sha256, round_id) VALUES (:deal_sha256, :round_id)"
            " ON CONFLICT DO NOTHING"
        ),
        {"deal_sha256": deal_sha256, "round_id": round_id},
    )
    return result.rowcount == 1


async def insert_match(connection: AsyncConnection, match_id: UUID, created: MatchCreated) -> None:
    """Enter the seats of a match that begins."""
    await connection.execute(
        text(
            "INSERT INTO match_seat (match_id, seat, account_id, mode, round_id, created_at)"
            " SELECT :match_id, ordinality - 1, account_id, :mode, :round_id, :created_at"
            " FROM unnest(CAST(:accounts AS uuid[])) WITH ORDINALITY AS a (account_id, ordinality)"
        ),
        {
            "match_id": match_id,
            "mode": created.mode,
            "round_id": created.round_id,
            "created_at": created.occurred_at,
            "accounts": list(created.accounts),
        },
    )


async def end_match(connection: AsyncConnection, ended: QuickMatchEnded, ending: EndReason) -> None:
    """Enter how the seats of a match ended."""
    for seat, (end, points) in enumerate(zip(ended.ends, ended.points, strict=True)):
        await connection.execute(
            text(
                "UPDATE match_seat SET ended_at = :ended_at, ending = :ending, place = :place,"
                " round_score = :round_score, cleared = :cleared, tiles_left = :tiles_left, points = :points"
                " WHERE match_id = :match_id AND seat = :seat"
            ),
            {
                "match_id": ended.match_id,
                "seat": seat,
                "ended_at": ended.occurred_at,
                "ending": ending.value,
                "place": end.place,
                "round_score": end.round_score,
                "cleared": end.cleared,
                "tiles_left": end.tiles_left,
                "points": points,
            },
        )


async def round_of(connection: AsyncConnection, match_id: UUID) -> UUID | None:
    """The round that a match of several seats is in; None when there is no such match."""
    found = await connection.scalar(
        text("SELECT round_id FROM match_seat WHERE match_id = :match_id AND seat = 0"),
        {"match_id": match_id},
    )
    return None if found is None else as_uuid(found)


async def matches_of(
    connection: AsyncConnection, account_id: UUID, before: UUID | None, limit: int
) -> list[ListedMatch]:
    """An account's matches of several seats, newest first, those older than `before`; at most `limit`."""
    result = await connection.execute(
        text(
            "SELECT s.* FROM match_seat s JOIN (SELECT match_id FROM match_seat"
            "   WHERE account_id = :account_id"
            "   AND (CAST(:before AS uuid) IS NULL OR match_id < CAST(:before AS uuid))"
            "   ORDER BY match_id DESC LIMIT :limit) own USING (match_id)"
            " ORDER BY s.match_id DESC, s.seat"
        ),
        {"account_id": account_id, "before": before, "limit": limit},
    )
    grouped = groupby(result.all(), key=lambda row: as_uuid(row.match_id))
    return [_listed(match_id, list(seats)) for match_id, seats in grouped]


def _listed(match_id: UUID, seats: Sequence[Row[Any]]) -> ListedMatch:
    first = seats[0]
    return ListedMatch(
        match_id,
        first.mode,
        first.created_at,
        first.ended_at,
        None if first.ending is None else EndReason(first.ending),
        tuple(
            ListedSeat(
                as_uuid(row.account_id),
                None
                if row.place is None
                else SeatEnd(row.place, row.round_score, row.cleared, row.tiles_left),
                row.points or 0,
            )
            for row in seats
        ),
    )
