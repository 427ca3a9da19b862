"""Rows of races: groups, personal best times, ratings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.race.group import Group, Member, Plan
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import Difficulty
from services.match.domain.race.terms import CpuLevel
from services.match.wire.race_groups import plan_settings, settings_bytes


@dataclass(frozen=True, slots=True)
class Best:
    """An account's best time on one kind of board."""

    difficulty: Difficulty
    flowers_and_seasons: bool
    best_ms: int
    race_id: UUID


async def group_of(connection: AsyncConnection, account_id: UUID) -> UUID | None:
    """The group that an account is in."""
    found = await connection.scalar(
        text("SELECT group_id FROM race_member WHERE account_id = :account_id"), {"account_id": account_id}
    )
    return None if found is None else as_uuid(found)


async def group_by_code(connection: AsyncConnection, code: str) -> UUID | None:
    """The group of an invitation."""
    found = await connection.scalar(
        text("SELECT group_id FROM race_group WHERE code = :code"), {"code": code}
    )
    return None if found is None else as_uuid(found)


async def load_group(connection: AsyncConnection, group_id: UUID, *, lock: bool = False) -> Group | None:
    """A group; with `lock` nobody else changes it until the transaction ends."""
    query = "SELECT * FROM race_group WHERE group_id = :group_id" + (" FOR UPDATE" if lock else "")  # noqa: S608
    row = (await connection.execute(text(query), {"group_id": group_id})).one_or_none()
    if row is None:
        return None
    members = await connection.execute(
        text("SELECT account_id, wins, asks FROM race_member WHERE group_id = :group_id ORDER BY place"),
        {"group_id": group_id},
    )
    return _group(row, [Member(as_uuid(each.account_id), each.wins, each.asks) for each in members])


async def versions_of(connection: AsyncConnection, group_ids: Collection[UUID]) -> dict[UUID, int]:
    """The versions of those of the groups that exist."""
    result = await connection.execute(
        text("SELECT group_id, version FROM race_group WHERE group_id = ANY(:ids)"), {"ids": list(group_ids)}
    )
    return {as_uuid(row.group_id): row.version for row in result}


async def save_group(connection: AsyncConnection, group: Group) -> bool:
    """Write a group as it is now; an empty one is gone. False where a member is in another group."""
    await connection.execute(
        text(
            "INSERT INTO race_group"
            " VALUES (:group_id, :code, :host, :settings, :cpu_players, :rated, :race_id, :playing, :version)"
            " ON CONFLICT (group_id) DO UPDATE SET host = excluded.host, settings = excluded.settings,"
            " cpu_players = excluded.cpu_players, rated = excluded.rated, race_id = excluded.race_id,"
            " playing = excluded.playing, version = excluded.version"
        ),
        {
            "group_id": group.group_id,
            "code": group.code,
            "host": group.host,
            "settings": settings_bytes(group.plan.settings),
            "cpu_players": [level.value for level in group.plan.cpu_players],
            "rated": group.plan.rated,
            "race_id": group.race_id,
            "playing": group.playing,
            "version": group.version,
        },
    )
    await connection.execute(
        text("DELETE FROM race_member WHERE group_id = :group_id"), {"group_id": group.group_id}
    )
    for place, member in enumerate(group.members):
        entered = await connection.execute(
            text(
                "INSERT INTO race_member VALUES (:account_id, :group_id, :place, :wins, :asks)"
                " ON CONFLICT (account_id) DO NOTHING"
            ),
            {
                "account_id": member.account_id,
                "group_id": group.group_id,
                "place": place,
                "wins": member.wins,
                "asks": member.asks,
            },
        )
        if entered.rowcount != 1:
            return False
    if not group.members:
        await connection.execute(
            text("DELETE FROM race_group WHERE group_id = :group_id"), {"group_id": group.group_id}
        )
    return True


async def take_seats(connection: AsyncConnection, race_id: UUID, accounts: Sequence[UUID]) -> list[UUID]:
    """Seat those of the accounts that play nothing else; return them in their order."""
    seated = set()
    for account_id in sorted(accounts):  # as everywhere: nobody waits crosswise
        entered = await connection.execute(
            text(
                "INSERT INTO live_seat (account_id, match_id, since) VALUES (:account_id, :match_id, now())"
                " ON CONFLICT (account_id) DO NOTHING"
            ),
            {"account_id": account_id, "match_id": race_id},
        )
        if entered.rowcount == 1:
            seated.add(account_id)
    return [account_id for account_id in accounts if account_id in seated]


async def enter_best(connection: AsyncConnection, account_id: UUID, best: Best) -> None:
    """Keep a time where it is the account's best on such a board."""
    await connection.execute(
        text(
            "INSERT INTO race_best VALUES (:account_id, :difficulty, :bonus, :best_ms, :race_id)"
            " ON CONFLICT (account_id, difficulty, bonus) DO UPDATE"
            " SET best_ms = excluded.best_ms, race_id = excluded.race_id"
            " WHERE excluded.best_ms < race_best.best_ms"
        ),
        {
            "account_id": account_id,
            "difficulty": best.difficulty.value,
            "bonus": best.flowers_and_seasons,
            "best_ms": best.best_ms,
            "race_id": best.race_id,
        },
    )


async def bests_of(connection: AsyncConnection, account_id: UUID) -> list[Best]:
    """An account's best times."""
    result = await connection.execute(
        text("SELECT * FROM race_best WHERE account_id = :account_id"), {"account_id": account_id}
    )
    found = [Best(Difficulty(row.difficulty), row.bonus, row.best_ms, as_uuid(row.race_id)) for row in result]
    order = list(Difficulty)
    return sorted(found, key=lambda best: (order.index(best.difficulty), best.flowers_and_seasons))


async def ratings_of(
    connection: AsyncConnection, accounts: Collection[UUID], *, lock: bool = False
) -> dict[UUID, Rating]:
    """The ratings of those accounts that have one; with `lock` they stay until the transaction ends."""
    if lock:
        for account_id in sorted(accounts):
            await connection.execute(
                text("SELECT pg_advisory_xact_lock(hashtextextended('race_rating/' || :account_id, 0))"),
                {"account_id": str(account_id)},
            )
    result = await connection.execute(
        text("SELECT * FROM race_rating WHERE account_id = ANY(:accounts)"), {"accounts": list(accounts)}
    )
    return {as_uuid(row.account_id): Rating(row.mu, row.sigma, row.races) for row in result}


async def enter_rating(connection: AsyncConnection, account_id: UUID, mu: float, sigma: float) -> None:
    """Enter what a rated race left behind."""
    await connection.execute(
        text(
            "INSERT INTO race_rating VALUES (:account_id, :mu, :sigma, 1) ON CONFLICT (account_id) DO UPDATE"
            " SET mu = excluded.mu, sigma = excluded.sigma, races = race_rating.races + 1"
        ),
        {"account_id": account_id, "mu": mu, "sigma": sigma},
    )


def _group(row: Row[Any], members: list[Member]) -> Group:
    cpu = tuple(CpuLevel(level) for level in row.cpu_players)
    return Group(
        as_uuid(row.group_id),
        row.code,
        as_uuid(row.host),
        tuple(members),
        Plan(plan_settings(bytes(row.settings)), cpu, row.rated),
        None if row.race_id is None else as_uuid(row.race_id),
        row.playing,
        row.version,
    )
