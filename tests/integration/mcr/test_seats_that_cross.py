"""Seats that several calls change at once, and orders about them that come again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.mcr.tables.tables import OPEN_MAX, RETRY_AFTER_MS
from tests.support.edge import refused
from tests.support.mcr_hall import QUICK, TableHall, TablePlayer, id_of, tables_served

pytestmark = pytest.mark.timeout(60)
LOST_AFTER_MS = 30_000
WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables; no AI player acts, and nobody moves by time alone."""
    slow: dict[str, Any] = {"mcr_turn_ms": 600_000, "mcr_claim_ms": 600_000}
    async with tables_served(database_url, lost_after_ms=LOST_AFTER_MS, work=(), **QUICK | slow) as served:
        yield served


async def lost(hall: TableHall, player: TablePlayer) -> str:
    """The table of a player, open and played by the AI for want of a stream."""
    name = (await player.open()).summary.name
    hall.step(milliseconds=LOST_AFTER_MS)
    await hall.look_for_lost()
    return name


async def seat_of(hall: TableHall, player: TablePlayer) -> tuple[str, bool] | None:
    """Where a player sits, and whether the AI plays there."""
    query = "SELECT table_id, is_lost FROM live_seat WHERE account_id = $1"
    row = await hall.database.pool.fetchrow(query, player.account_id)
    return None if row is None else (f"tables/{row['table_id']}", row["is_lost"])


async def somebody_waits(hall: TableHall) -> None:
    """Wait until a statement waits for a lock."""
    async with asyncio.timeout(10):
        while not await hall.database.pool.fetchval(WAITING):  # noqa: ASYNC110 locks tell nobody
            await asyncio.sleep(0.02)


async def test_giving_up_a_lost_seat_again_gets_the_first_answer(hall: TableHall) -> None:
    """The seat is free after the first one, and the AI plays there: a repeat is no second order."""
    ana = TablePlayer(hall.edge)
    name = await lost(hall, ana)
    first = await ana.leave(name, "leave")
    again = await ana.leave(name, "leave")
    anew = await refused(ana.leave(name))
    other = (await ana.open()).summary.name
    reused = await refused(ana.leave(other, "leave"))

    assert again == first
    assert anew.reason == "SEAT_AWAY"
    assert reused.reason == "REQUEST_ID_REUSED"
    assert await seat_of(hall, ana) == (other, False)


async def test_who_leaves_tables_one_after_the_other_waits_for_the_ai(hall: TableHall) -> None:
    """It plays out each of them: one account alone would keep it from everybody's tables."""
    ana = TablePlayer(hall.edge)
    names = []
    for _ in range(OPEN_MAX):
        names.append((await ana.open()).summary.name)
        await ana.leave(names[-1])
    many = await refused(ana.open())
    await hall.database.pool.execute(
        "UPDATE live_table SET ended_at = created_at WHERE table_id = $1", id_of(names[0])
    )

    assert (many.reason, many.retry_after_ms) == ("RATE_LIMIT", RETRY_AFTER_MS)
    assert (await ana.open()).summary.name not in names
    assert (await TablePlayer(hall.edge).open()).summary.name


async def test_coming_back_again_gets_the_first_answer_wherever_one_sits_by_then(hall: TableHall) -> None:
    """A late repeat moves nobody, and is not refused for what has happened since."""
    ana = TablePlayer(hall.edge)
    first = (await ana.open()).summary.name
    await ana.leave(first)
    back = await ana.come_back(first, "back")
    await ana.leave(first)
    second = (await ana.open()).summary.name

    assert await ana.come_back(first, "back") == back
    assert await seat_of(hall, ana) == (second, False)


async def test_who_is_back_meanwhile_keeps_the_seat(hall: TableHall) -> None:
    """Leaving finds the AI playing while a stream of another device takes the seat back."""
    ana = TablePlayer(hall.edge)
    name = await lost(hall, ana)
    async with hall.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("UPDATE live_seat SET is_lost = false")
        leaving = asyncio.create_task(refused(ana.leave(name)))
        await somebody_waits(hall)

    assert (await leaving).reason == "SEAT_AWAY"
    assert await seat_of(hall, ana) == (name, False)


@pytest.mark.parametrize("is_lost", [True, False])
async def test_a_seat_is_locked_after_its_deal_as_the_end_of_a_deal_locks_them(
    hall: TableHall, is_lost: bool
) -> None:
    """Another process appends to the deal and frees its seats, while this one changes a seat: both get on."""
    ana = TablePlayer(hall.edge)
    name = await lost(hall, ana) if is_lost else (await ana.open()).summary.name
    hall.step(milliseconds=LOST_AFTER_MS)
    await ana.table(name)  # nothing is due in the deal any more
    (deal_id,) = await hall.deals(id_of(name))
    async with hall.database.pool.acquire() as connection:
        other = connection.transaction()
        await other.start()
        await connection.execute("SET LOCAL deadlock_timeout = '10ms'")  # it is the one that would lose
        await connection.execute("SELECT 1 FROM stream WHERE stream_id = $1 FOR UPDATE", deal_id)
        changing = asyncio.create_task(ana.come_back(name) if is_lost else hall.look_for_lost())
        await somebody_waits(hall)
        await connection.execute("DELETE FROM live_seat")
        await other.rollback()
    await changing

    assert await seat_of(hall, ana) == (name, not is_lost)
