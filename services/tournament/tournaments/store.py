"""Rows of tournaments and series: what lists of them say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.tournament.domain.tournament.page import Status, page_of
from services.tournament.domain.tournament.state import Existing
from services.tournament.domain.tournament.terms import Kind

SYSTEM: Final = uuid5(NAMESPACE_URL, "sparrow:service:tournament")
"""Who acts where nobody asks: timers, and series that schedule ahead."""
ENTER = """
INSERT INTO tournament
    (tournament_id, series_id, day, name, kind, status, starts_at, ends_at, registered, maximum)
VALUES
    (:tournament_id, :series_id, :day, :name, :kind, :status, :starts_at, :ends_at, :registered, :maximum)
ON CONFLICT (tournament_id) DO UPDATE SET status = excluded.status, registered = excluded.registered
"""
LIST = """
SELECT * FROM tournament
WHERE (starts_at, tournament_id) > (:starts_at, :tournament_id)
  AND (CAST(:statuses AS text[]) IS NULL OR status = ANY(:statuses))
ORDER BY starts_at, tournament_id LIMIT :limit
"""
LIST_LATEST = """
SELECT * FROM tournament
WHERE (starts_at, tournament_id) < (:starts_at, :tournament_id) AND status = ANY(:statuses)
ORDER BY starts_at DESC, tournament_id DESC LIMIT :limit
"""
MARK_BEGUN = """
UPDATE tournament SET begun_round = :number WHERE tournament_id = :tournament_id AND begun_round < :number
"""
CLEAR_TIMER = "DELETE FROM timer WHERE stream_id = :stream_id AND kind = :kind"


@dataclass(frozen=True, slots=True)
class Listed:
    """A tournament in a list."""

    tournament_id: UUID
    series_id: UUID | None
    name: str
    kind: Kind
    status: Status
    starts_at: datetime
    ends_at: datetime
    registered: int
    maximum: int


async def enter_tournament(connection: AsyncConnection, state: Existing) -> None:
    """Enter a tournament, or what has become of it; in the transaction of its facts."""
    page, plan = page_of(state), state.field.plan
    await connection.execute(
        text(ENTER),
        {
            "tournament_id": plan.tournament_id,
            "series_id": plan.series_id,
            "day": plan.day,
            "name": plan.terms.name,
            "kind": plan.terms.kind.value,
            "status": page.status.value,
            "starts_at": plan.starts_at,
            "ends_at": plan.ends_at,
            "registered": page.registered,
            "maximum": plan.terms.maximum,
        },
    )


async def list_tournaments(
    connection: AsyncConnection,
    after: tuple[datetime, UUID],
    limit: int,
    statuses: Collection[Status] | None = None,
) -> list[Listed]:
    """Tournaments in the order of their starts, those after a start and an id; in all statuses by default."""
    told = None if statuses is None else [status.value for status in statuses]
    return await _listed(connection, LIST, after, limit, told)


async def latest_tournaments(
    connection: AsyncConnection, before: tuple[datetime, UUID], limit: int, statuses: Collection[Status]
) -> list[Listed]:
    """Tournaments in these statuses, the latest first, those before a start and an id."""
    told = [status.value for status in statuses]
    return await _listed(connection, LIST_LATEST, before, limit, told)


async def _listed(
    connection: AsyncConnection,
    query: str,
    place: tuple[datetime, UUID],
    limit: int,
    statuses: list[str] | None,
) -> list[Listed]:
    starts_at, tournament_id = place
    values = {"starts_at": starts_at, "tournament_id": tournament_id, "limit": limit, "statuses": statuses}
    rows = await connection.execute(text(query), values)
    return [
        Listed(
            tournament_id=as_uuid(row.tournament_id),
            series_id=None if row.series_id is None else as_uuid(row.series_id),
            name=row.name,
            kind=Kind(row.kind),
            status=Status(row.status),
            starts_at=row.starts_at,
            ends_at=row.ends_at,
            registered=row.registered,
            maximum=row.maximum,
        )
        for row in rows
    ]


async def clear_timer(connection: AsyncConnection, tournament_id: UUID, kind: str) -> None:
    """Wake a tournament no more by its timer of a kind."""
    await connection.execute(text(CLEAR_TIMER), {"stream_id": tournament_id, "kind": kind})


async def mark_begun(connection: AsyncConnection, tournament_id: UUID, number: int) -> None:
    """Note that the match service has begun a round: its tables can be played at."""
    await connection.execute(text(MARK_BEGUN), {"tournament_id": tournament_id, "number": number})


async def begun_round(connection: AsyncConnection, tournament_id: UUID) -> int:
    """The last round that the match service has begun; 0 before the first."""
    query = text("SELECT begun_round FROM tournament WHERE tournament_id = :tournament_id")
    begun: int = (await connection.execute(query, {"tournament_id": tournament_id})).scalar_one()
    return begun


async def scheduled_among(connection: AsyncConnection, tournament_ids: Collection[UUID]) -> set[UUID]:
    """Those of the tournaments that are scheduled already."""
    rows = await connection.execute(
        text("SELECT tournament_id FROM tournament WHERE tournament_id = ANY(:ids)"),
        {"ids": list(tournament_ids)},
    )
    return {as_uuid(row.tournament_id) for row in rows}


async def enter_series(connection: AsyncConnection, series_id: UUID, *, is_going: bool) -> None:
    """Enter a series, or that it was stopped; in the transaction of its fact."""
    await connection.execute(
        text(
            "INSERT INTO series (series_id, is_going) VALUES (:series_id, :is_going)"
            " ON CONFLICT (series_id) DO UPDATE SET is_going = excluded.is_going"
        ),
        {"series_id": series_id, "is_going": is_going},
    )


async def going_series(connection: AsyncConnection) -> list[UUID]:
    """The series whose occurrences are scheduled ahead."""
    rows = await connection.execute(text("SELECT series_id FROM series WHERE is_going ORDER BY series_id"))
    return [as_uuid(row.series_id) for row in rows]
