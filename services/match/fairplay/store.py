"""Rows of fair play: figures by player, mode and day. They follow from events alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.match.domain.fair_play.counts import Counts, Played, PlayMode

DAYS_KEPT: Final = 90
"""Of days on which a player played: so many rows by mode and difficulty at most."""


async def add(connection: AsyncConnection, played: Sequence[Played]) -> None:
    """Add figures to their days; days of these players that are too old go."""
    together: dict[tuple[UUID, str, bool, date], Counts] = {}
    for each in played:
        key = (each.account_id, each.mode.value, each.hard, each.day)
        together[key] = together.get(key, Counts()) + each.counts
    for account_id, mode, hard, day in sorted(together):  # one order for all: rows are locked
        await _add(connection, account_id, mode, day, together[account_id, mode, hard, day], hard=hard)


async def _add(
    connection: AsyncConnection, account_id: UUID, mode: str, day: date, counts: Counts, *, hard: bool
) -> None:
    await connection.execute(
        text(
            "INSERT INTO fair_play_day AS d"
            " (account_id, mode, hard, day, games, pairs, pace, touches, blocked, found, missed)"
            " VALUES (:account_id, :mode, :hard, :day, :games, :pairs, :pace, :touches, :blocked, :found,"
            "  :missed)"
            " ON CONFLICT (account_id, mode, hard, day) DO UPDATE SET games = d.games + excluded.games,"
            " pairs = d.pairs + excluded.pairs, touches = d.touches + excluded.touches,"
            " blocked = d.blocked + excluded.blocked, found = d.found + excluded.found,"
            " missed = d.missed + excluded.missed,"
            " pace = ARRAY(SELECT a + b FROM unnest(d.pace, excluded.pace) WITH ORDINALITY AS p (a, b, n)"
            "  ORDER BY n)"
        ),
        {
            "account_id": account_id,
            "mode": mode,
            "hard": hard,
            "day": day,
            "games": counts.games,
            "pairs": counts.pairs,
            "pace": list(counts.pace),
            "touches": counts.touches,
            "blocked": counts.blocked,
            "found": counts.found,
            "missed": counts.missed,
        },
    )
    await connection.execute(
        text("DELETE FROM fair_play_day WHERE account_id = :account_id AND day <= :before"),
        {"account_id": account_id, "before": day - timedelta(days=DAYS_KEPT)},
    )


async def read(
    connection: AsyncConnection, account_id: UUID, since: date
) -> dict[PlayMode, dict[bool, Counts]]:
    """A player's figures from a day on, by mode and by whether the boards were HARD."""
    result = await connection.execute(
        text(
            "SELECT mode, hard, games, pairs, pace, touches, blocked, found, missed FROM fair_play_day"
            " WHERE account_id = :account_id AND day >= :since ORDER BY mode, hard, day"
        ),
        {"account_id": account_id, "since": since},
    )
    found: dict[PlayMode, dict[bool, Counts]] = {}
    for row in result.all():
        counts = Counts(
            row.games, row.pairs, tuple(row.pace), row.touches, row.blocked, row.found, row.missed
        )
        by_hard = found.setdefault(PlayMode(row.mode), {})
        by_hard[row.hard] = by_hard.get(row.hard, Counts()) + counts
    return found
