"""Rows of reports. A player's words stand here and nowhere else."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.fair_play.reporting import Closing, Report, ReportReason


async def has_played(connection: AsyncConnection, account_id: UUID) -> bool:
    """Whether an account has ever begun anything here."""
    found = await connection.scalar(
        text(
            "SELECT EXISTS (SELECT FROM fair_play_day WHERE account_id = :account_id)"
            " OR EXISTS (SELECT FROM attempt WHERE account_id = :account_id)"
            " OR EXISTS (SELECT FROM match_seat WHERE account_id = :account_id)"
            " OR EXISTS (SELECT FROM live_seat WHERE account_id = :account_id)"
        ),
        {"account_id": account_id},
    )
    return bool(found)


async def reported_since(connection: AsyncConnection, reporter: UUID, since: datetime) -> list[datetime]:
    """When a player reported others after an instant, the earliest first."""
    result = await connection.execute(
        text(
            "SELECT reported_at FROM player_report WHERE reporter = :reporter AND reported_at > :since"
            " ORDER BY reported_at"
        ),
        {"reporter": reporter, "since": since},
    )
    return [row.reported_at for row in result.all()]


async def insert(connection: AsyncConnection, report: Report) -> bool:
    """Enter a report; False while one of the same player about the same player and match is open."""
    result = await connection.execute(
        text(
            "INSERT INTO player_report"
            " (report_id, reporter, reported, match_id, reason, words, reported_at)"
            " VALUES (:report_id, :reporter, :reported, :match_id, :reason, :words, :at)"
            " ON CONFLICT DO NOTHING"
        ),
        {
            "report_id": report.report_id,
            "reporter": report.reporter,
            "reported": report.reported,
            "match_id": report.match_id,
            "reason": report.reason.value,
            "words": report.text,
            "at": report.at,
        },
    )
    return result.rowcount == 1


async def close(connection: AsyncConnection, report_id: UUID, closing: Closing) -> Report | None:
    """Close a report unless it is closed; return it as it stands then, None where there is none."""
    await connection.execute(
        text(
            "UPDATE player_report SET closed_at = :at, closed_by = :by, finding = :finding"
            " WHERE report_id = :report_id AND closed_at IS NULL"
        ),
        {"report_id": report_id, "at": closing.at, "by": closing.by, "finding": closing.finding},
    )
    result = await connection.execute(
        text("SELECT * FROM player_report WHERE report_id = :report_id"), {"report_id": report_id}
    )
    row = result.one_or_none()
    return None if row is None else _report(row)


async def page(
    connection: AsyncConnection,
    limit: int,
    *,
    about: UUID | None = None,
    with_closed: bool = False,
    before: UUID | None = None,
) -> list[Report]:
    """Reports, the newest first: about one player or anybody, those older than `before`."""
    result = await connection.execute(
        text(
            "SELECT * FROM player_report"
            " WHERE (CAST(:about AS uuid) IS NULL OR reported = CAST(:about AS uuid))"
            " AND (:with_closed OR closed_at IS NULL)"
            " AND (CAST(:before AS uuid) IS NULL OR report_id < CAST(:before AS uuid))"
            " ORDER BY report_id DESC LIMIT :limit"
        ),
        {"about": about, "with_closed": with_closed, "before": before, "limit": limit},
    )
    return [_report(row) for row in result.all()]


def _report(row: Row[Any]) -> Report:
    return Report(
        as_uuid(row.report_id),
        as_uuid(row.reporter),
        as_uuid(row.reported),
        None if row.match_id is None else as_uuid(row.match_id),
        ReportReason(row.reason),
        row.words,
        row.reported_at,
        None if row.closed_at is None else Closing(row.closed_by, row.finding, row.closed_at),
    )
