"""Rows beside the events: a player's attempts, and per level number best times and paid bonuses.

All of them follow from events and are written in the transaction of the event. The standing of a level is
read and written under its lock (see `level_lock`), so finishes on one level are judged one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.match.domain.listing import Best, ListedAttempt
from services.match.domain.points import TOP_TEN, Award, Standing
from services.match.domain.state import Begun, Cleared, Ended, Ending, Left, Restarted, elapsed_ms

BESTS_ROWS_MAX: Final = 1_000
"""Rows of one table of bests: ten places, and a bound on how many may tie with the tenth."""


def level_lock(level: int) -> str:
    """The key of the lock under which finishes on a level are judged."""
    return f"level/{level}"


async def insert_attempt(connection: AsyncConnection, attempt_id: UUID, state: Begun) -> None:
    """Enter an attempt that has just started."""
    attempt = state.attempt
    await connection.execute(
        text(
            "INSERT INTO attempt (attempt_id, account_id, level, catalogue_version, hard, started_at, state)"
            " VALUES (:attempt_id, :account_id, :level, :catalogue_version, :hard, :started_at, 'running')"
        ),
        {
            "attempt_id": attempt_id,
            "account_id": attempt.account_id,
            "level": attempt.deal.level,
            "catalogue_version": attempt.deal.catalogue_version,
            "hard": attempt.deal.hard,
            "started_at": attempt.started_at,
        },
    )


async def end_attempt(connection: AsyncConnection, attempt_id: UUID, ended: Ended) -> None:
    """Enter how an attempt ended."""
    values: dict[str, object] = {
        "attempt_id": attempt_id,
        "ended_at": ended.last_at,
        "elapsed_ms": elapsed_ms(ended.clock_since, ended.last_at),
        "place": None,
        "first_points": None,
        "time_points": None,
        "next_attempt_id": None,
    }
    match ended.ending:
        case Cleared() as cleared:
            values |= {
                "state": "cleared",
                "elapsed_ms": cleared.elapsed_ms,
                "place": cleared.place,
                "first_points": cleared.first_completion_points,
                "time_points": cleared.time_bonus_points,
            }
        case Left():
            values["state"] = "left"
        case Restarted(next_attempt_id=next_attempt_id):
            values |= {"state": "restarted", "next_attempt_id": next_attempt_id}
    await connection.execute(
        text(
            "UPDATE attempt SET state = :state, ended_at = :ended_at, elapsed_ms = :elapsed_ms,"
            " place = :place, first_points = :first_points, time_points = :time_points,"
            " next_attempt_id = :next_attempt_id"
            " WHERE attempt_id = :attempt_id AND state = 'running'"
        ),
        values,
    )


async def attempts_of(
    connection: AsyncConnection, account_id: UUID, before: UUID | None, limit: int
) -> list[ListedAttempt]:
    """An account's attempts, newest first, those older than `before`; at most `limit`.

    The clock of one that runs is the caller's to move on by outages.
    """
    result = await connection.execute(
        text(
            "SELECT attempt_id, account_id, level, catalogue_version, hard, started_at, ended_at,"
            " state, elapsed_ms, place, first_points, time_points, next_attempt_id FROM attempt"
            " WHERE account_id = :account_id"
            " AND (CAST(:before AS uuid) IS NULL OR attempt_id < CAST(:before AS uuid))"
            " ORDER BY attempt_id DESC LIMIT :limit"
        ),
        {"account_id": account_id, "before": before, "limit": limit},
    )
    return [_listed(*row) for row in result.all()]


def _listed(
    attempt_id: UUID,
    account_id: UUID,
    level: int,
    catalogue_version: int,
    hard: bool,
    started_at: datetime,
    ended_at: datetime | None,
    state: str,
    elapsed: int | None,
    *ending: Any,
) -> ListedAttempt:
    return ListedAttempt(
        attempt_id=attempt_id,
        account_id=account_id,
        level=level,
        catalogue_version=catalogue_version,
        hard=hard,
        started_at=started_at,
        clock_since=_clock_since(started_at, ended_at, elapsed),
        ended_at=ended_at,
        ending=_ending(state, elapsed or 0, *ending),
    )


def _clock_since(started_at: datetime, ended_at: datetime | None, elapsed: int | None) -> datetime:
    """Only attempts that were given up before outages were known of lack the time."""
    if ended_at is None or elapsed is None:
        return started_at
    return ended_at - timedelta(milliseconds=elapsed)


def _ending(state: str, elapsed: int, place: int, first: int, time: int, following: UUID) -> Ending | None:
    endings: dict[str, Ending | None] = {
        "running": None,
        "cleared": Cleared(elapsed, place, first, time),
        "left": Left(),
        "restarted": Restarted(following),
    }
    return endings[state]


async def read_standing(
    connection: AsyncConnection, level: int, account_id: UUID, finish_ms: int
) -> Standing:
    """The level's table at the moment of a finish. The caller holds the level's lock."""
    key = {"level": level, "account_id": account_id, "finish_ms": finish_ms}
    better = await connection.scalar(
        text(
            "SELECT count(*) FROM level_best"
            " WHERE level = :level AND account_id <> :account_id AND best_ms < :finish_ms"
        ),
        key,
    )
    assert better is not None
    return Standing(better, await read_award(connection, level, account_id) or Award())


async def read_award(connection: AsyncConnection, level: int, account_id: UUID) -> Award | None:
    """What the account was paid on this level number; None when it has never completed it."""
    found = await connection.execute(
        text(
            "SELECT first_completion, best_time, top_ten FROM level_award"
            " WHERE level = :level AND account_id = :account_id"
        ),
        {"level": level, "account_id": account_id},
    )
    row = found.one_or_none()
    return None if row is None else Award(*row)


async def record_finish(
    connection: AsyncConnection, level: int, account_id: UUID, finish_ms: int, award: Award
) -> None:
    """Enter a finish: the best time falls or stays, the award is replaced. The caller holds the lock."""
    key: dict[str, object] = {"level": level, "account_id": account_id}
    await connection.execute(
        text(
            "INSERT INTO level_best AS old (level, account_id, best_ms)"
            " VALUES (:level, :account_id, :finish_ms)"
            " ON CONFLICT (level, account_id) DO UPDATE SET best_ms = least(old.best_ms, excluded.best_ms)"
        ),
        key | {"finish_ms": finish_ms},
    )
    await connection.execute(
        text(
            "INSERT INTO level_award (level, account_id, first_completion, best_time, top_ten)"
            " VALUES (:level, :account_id, :first_completion, :best_time, :top_ten)"
            " ON CONFLICT (level, account_id) DO UPDATE SET first_completion = excluded.first_completion,"
            " best_time = excluded.best_time, top_ten = excluded.top_ten"
        ),
        key
        | {
            "first_completion": award.first_completion,
            "best_time": award.best_time,
            "top_ten": award.top_ten,
        },
    )


async def ten_bests(connection: AsyncConnection, level: int) -> list[Best]:
    """The ten best times of a level and those that tie with the tenth place, by place and account."""
    result = await connection.execute(
        text(
            "SELECT rank() OVER (ORDER BY best_ms) AS place, account_id, best_ms FROM level_best"
            " WHERE level = :level AND best_ms <= coalesce((SELECT best_ms FROM level_best"
            "   WHERE level = :level ORDER BY best_ms OFFSET :last LIMIT 1), 9223372036854775807)"
            " ORDER BY best_ms, account_id LIMIT :limit"
        ),
        {"level": level, "last": TOP_TEN - 1, "limit": BESTS_ROWS_MAX},
    )
    return _bests(result.all())


async def best_of(connection: AsyncConnection, level: int, account_id: UUID) -> Best | None:
    """An account's own row in the table of a level; None when it has not completed it."""
    result = await connection.execute(
        text(
            "SELECT 1 + (SELECT count(*) FROM level_best AS other"
            "   WHERE other.level = own.level AND other.best_ms < own.best_ms) AS place, account_id, best_ms"
            " FROM level_best AS own WHERE level = :level AND account_id = :account_id"
        ),
        {"level": level, "account_id": account_id},
    )
    found = _bests(result.all())
    return found[0] if found else None


def _bests(rows: Sequence[Row[Any]]) -> list[Best]:
    return [Best(row.place, row.account_id, row.best_ms) for row in rows]
