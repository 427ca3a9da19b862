"""Rows of flags: one open by player, mode and rule; dismissed ones stay, with who dismissed them and why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.fair_play.counts import PlayMode
from services.match.domain.fair_play.flags import Dismissal, Flag
from services.match.domain.fair_play.judging import Rule, Suspicion

COLUMNS: Final = (
    "flag_id, account_id, mode, rule, hits, trials, first_at, last_at, dismissed_at, dismissed_by, dismissal"
)


async def raise_flag(
    connection: AsyncConnection, account_id: UUID, mode: PlayMode, suspicion: Suspicion, at: datetime
) -> None:
    """Put a flag up, or renew the figures of the open one."""
    await connection.execute(
        text(
            "INSERT INTO fair_play_flag (account_id, mode, rule, hits, trials, first_at, last_at)"
            " VALUES (:account_id, :mode, :rule, :hits, :trials, :at, :at)"
            " ON CONFLICT (account_id, mode, rule) WHERE dismissed_at IS NULL"
            " DO UPDATE SET hits = excluded.hits, trials = excluded.trials, last_at = excluded.last_at"
        ),
        {
            "account_id": account_id,
            "mode": mode.value,
            "rule": suspicion.rule.value,
            "hits": suspicion.hits,
            "trials": suspicion.trials,
            "at": at,
        },
    )


async def dismissals(connection: AsyncConnection, account_id: UUID, mode: PlayMode) -> dict[Rule, datetime]:
    """When flags of a player's play in a mode were dismissed last, by rule."""
    result = await connection.execute(
        text(
            "SELECT rule, max(dismissed_at) AS at FROM fair_play_flag WHERE account_id = :account_id"
            " AND mode = :mode AND dismissed_at IS NOT NULL GROUP BY rule"
        ),
        {"account_id": account_id, "mode": mode.value},
    )
    return {Rule(row.rule): row.at for row in result.all()}


async def dismiss(connection: AsyncConnection, flag_id: UUID, dismissal: Dismissal) -> Flag | None:
    """Dismiss a flag unless it is dismissed; return it as it stands then, None where there is none."""
    await connection.execute(
        text(
            "UPDATE fair_play_flag SET dismissed_at = :at, dismissed_by = :by, dismissal = :reason"
            " WHERE flag_id = :flag_id AND dismissed_at IS NULL"
        ),
        {"flag_id": flag_id, "at": dismissal.at, "by": dismissal.by, "reason": dismissal.reason},
    )
    result = await connection.execute(
        text(f"SELECT {COLUMNS} FROM fair_play_flag WHERE flag_id = :flag_id"),  # noqa: S608 fixed columns
        {"flag_id": flag_id},
    )
    row = result.one_or_none()
    return None if row is None else _flag(row)


async def page(
    connection: AsyncConnection,
    limit: int,
    *,
    of: UUID | None = None,
    with_dismissed: bool = False,
    before: Mapping[str, str] | None = None,
) -> list[Flag]:
    """Flags, the newest first by when they first went up: of one player or of all, those after `before`."""
    values: dict[str, object] = {"limit": limit, "of": of, "with_dismissed": with_dismissed}
    where = (
        "(CAST(:of AS uuid) IS NULL OR account_id = CAST(:of AS uuid))"
        " AND (:with_dismissed OR dismissed_at IS NULL)"
    )
    if before is not None:
        where += " AND (first_at, flag_id) < (:at, CAST(:flag_id AS uuid))"
        values |= {**before, "at": datetime.fromisoformat(before["at"])}
    result = await connection.execute(
        text(
            f"SELECT {COLUMNS} FROM fair_play_flag"  # noqa: S608 fixed columns and conditions
            f" WHERE {where} ORDER BY first_at DESC, flag_id DESC LIMIT :limit"
        ),
        values,
    )
    return [_flag(row) for row in result.all()]


def place_of(flag: Flag) -> dict[str, str]:
    """Where a flag stands in the list."""
    return {"at": flag.first_at.isoformat(), "flag_id": str(flag.flag_id)}


def _flag(row: Row[Any]) -> Flag:
    dismissed = row.dismissed_at is not None
    return Flag(
        as_uuid(row.flag_id),
        as_uuid(row.account_id),
        PlayMode(row.mode),
        Suspicion(Rule(row.rule), row.hits, row.trials),
        row.first_at,
        row.last_at,
        Dismissal(row.dismissed_by, row.dismissal, row.dismissed_at) if dismissed else None,
    )
