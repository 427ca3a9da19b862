"""Who is there: lost streams, leaving, coming back, sitting elsewhere, and servers that were away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from libs.eventsourcing.ids import uuid7
from libs.pb.sparrow.mcr.v1 import deal_pb2, table_pb2
from services.mcr.domain.deal.events import SeatLeft, SeatReturned
from services.mcr.domain.deal.terms import Ai, AwayReason, Person
from services.mcr.tables.begin import NewTable
from tests.support.edge import refused
from tests.support.mcr_hall import QUICK, TableHall, TablePlayer, id_of, quietly, tables_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
LOST_AFTER_MS = 30_000
TABLES = 20


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables; nobody moves by time alone."""
    slow: dict[str, Any] = {"mcr_turn_ms": 600_000, "mcr_claim_ms": 600_000}
    async with tables_served(database_url, lost_after_ms=LOST_AFTER_MS, **QUICK | slow) as served:
        yield served


async def open_stream(player: TablePlayer, name: str) -> asyncio.Task[None]:
    """Follow a table, and wait for the first message."""
    heard = len(player.told)
    task = player.follow(name)
    await until(lambda: len(player.told) > heard)
    return task


async def close(*streams: asyncio.Task[None]) -> None:
    """Lose streams."""
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)


async def away(hall: TableHall, table: table_pb2.TableView) -> list[SeatLeft | SeatReturned]:
    """When the person of a table was away and came back."""
    (deal_id,) = await hall.deals(id_of(table.summary.name))
    return [each for each in await hall.deal_facts(deal_id) if isinstance(each, SeatLeft | SeatReturned)]


async def test_a_seat_is_given_back_within_its_time_and_played_by_the_ai_after_it(hall: TableHall) -> None:
    """After 1, 29 and 31 s of 30 s, at twenty tables: the reason is told, and opening returns the seat."""
    players = [TablePlayer(hall.edge) for _ in range(TABLES)]
    tables = await asyncio.gather(*(player.open() for player in players))
    names = [table.summary.name for table in tables]

    async def streams() -> list[asyncio.Task[None]]:
        opened = map(open_stream, players, names)
        return list(await asyncio.gather(*opened))

    held = await streams()
    for seconds in (1, 29):
        await close(*held)
        await all_let_go(hall)
        hall.step(seconds=seconds)
        await hall.look_for_lost()
        held = await streams()
        assert [await away(hall, table) for table in tables] == [[]] * TABLES
    await close(*held)
    await all_let_go(hall)
    hall.step(seconds=31)
    await hall.look_for_lost()
    told = await asyncio.gather(*(player.table(name) for player, name in zip(players, names, strict=True)))
    acting = [
        await refused(player.act(name, table.deal, table.deal.open_decision.actions[0]))
        for player, name, table in zip(players, names, told, strict=True)
        if table.deal.HasField("open_decision")
    ]
    await close(*await streams())
    facts = [await away(hall, table) for table in tables]

    assert all(table.deal.seats[0].away for table in told)
    assert {refusal.reason for refusal in acting} <= {"SEAT_AWAY", "STALE_DECISION"}
    assert [[type(each) for each in found] for found in facts] == [[SeatLeft, SeatReturned]] * TABLES
    assert {found[0].reason for found in facts if isinstance(found[0], SeatLeft)} == {AwayReason.LOST}


async def all_let_go(hall: TableHall) -> None:
    """Wait until the server has noticed that streams are gone."""

    async def held() -> int:
        query = "SELECT count(*) FROM live_seat WHERE seen_until > $1"
        return int(await hall.database.pool.fetchval(query, hall.edge.clock.now()))

    async with asyncio.timeout(10):
        while await held():  # noqa: ASYNC110 the server tells nobody
            await asyncio.sleep(0.02)


async def test_whoever_leaves_may_sit_elsewhere_and_return_only_while_seated_nowhere(hall: TableHall) -> None:
    """A live seat is one; the AI plays at the table that was left."""
    ana = TablePlayer(hall.edge)
    first = (await ana.open()).summary.name
    seated = await refused(ana.open())
    left = await ana.leave(first, "leave")
    again = await ana.leave(first, "leave")
    twice = await refused(ana.leave(first))
    second = (await ana.open()).summary.name
    elsewhere = await refused(ana.come_back(first))
    await ana.leave(second)
    back = await ana.come_back(first, "back")
    third = await refused(ana.open())

    assert (seated.reason, seated.metadata["name"]) == ("ALREADY_SEATED", first)
    assert [each.kind for each in left.happenings] == [table_pb2.HAPPENING_KIND_LEFT]
    assert again == left
    assert left.deal.seats[0].away
    assert twice.reason == "SEAT_AWAY"
    assert (elsewhere.reason, elsewhere.metadata["name"]) == ("ALREADY_SEATED", second)
    assert [each.kind for each in back.happenings] == [table_pb2.HAPPENING_KIND_RETURNED]
    assert not back.deal.seats[0].away
    assert await ana.come_back(first, "back") == back
    assert third.metadata["name"] == first


async def test_a_stream_returns_whom_it_was_lost_of_but_nobody_who_left(hall: TableHall) -> None:
    """Watching on after leaving is looking on from the own seat."""
    ana = TablePlayer(hall.edge)
    table = await ana.open()
    name = table.summary.name
    await ana.leave(name)
    stream = await open_stream(ana, name)
    assert ana.told[0].snapshot.deal.seats[0].away
    assert [type(each) for each in await away(hall, table)] == [SeatLeft]
    await close(stream)


async def test_whoever_was_lost_may_leave_for_another_table(hall: TableHall) -> None:
    """The seat is kept for one who is lost, until it is given up."""
    ana = TablePlayer(hall.edge)
    table = await ana.open()
    hall.step(seconds=30)
    await hall.look_for_lost()
    assert (await refused(ana.open())).reason == "ALREADY_SEATED"
    await ana.leave(table.summary.name)
    assert (await ana.open()).summary.name != table.summary.name
    assert [type(each) for each in await away(hall, table)] == [SeatLeft]


async def test_a_table_that_all_have_left_is_played_out_and_abandoned(hall: TableHall) -> None:
    """By the AI, to the end of the deal; no further deal is dealt, and everybody's points stand."""
    ana, ben = TablePlayer(hall.edge), TablePlayer(hall.edge)
    table_id = id_of((await ana.open()).summary.name)
    await ana.leave(f"tables/{table_id}")
    occupants = (Person(ana.account_id), Ai(), Person(ben.account_id), Ai())
    two = NewTable(uuid7(hall.edge.clock.now(), bytes(10)), occupants, deals=4)
    await hall.seat(two)
    name = f"tables/{two.table_id}"
    await ana.leave(name)
    await ben.leave(name)
    closed = await hall.play_out(name, ana)
    seats = await hall.database.pool.fetchval("SELECT count(*) FROM live_seat")
    timers = await hall.database.pool.fetch("SELECT * FROM timer")

    assert closed.summary.closing == deal_pb2.TABLE_CLOSING_ABANDONED
    assert [row.number for row in closed.summary.rows] == [1]
    assert seats == 0
    assert {row["stream_id"] for row in timers} <= set(await hall.deals(table_id))


async def test_nobody_is_lost_while_no_server_was_there(hall: TableHall) -> None:
    """An outage of ten minutes; what is left of the time runs on after it."""
    ana = TablePlayer(hall.edge)
    table = await ana.open()
    begun = hall.edge.clock.now()
    hall.step(seconds=10)
    hall.step(minutes=10)
    await hall.database.pool.execute(
        "INSERT INTO outage (from_at, to_at) VALUES ($1, $2)",
        begun + timedelta(seconds=10),
        begun + timedelta(seconds=610),
    )
    await hall.look_for_lost()
    hall.step(seconds=19)
    await hall.look_for_lost()
    assert await away(hall, table) == []
    hall.step(seconds=1)
    await hall.look_for_lost()
    assert [type(each) for each in await away(hall, table)] == [SeatLeft]


async def test_a_seat_that_was_left_can_be_taken_again_in_a_later_deal(hall: TableHall) -> None:
    """The AI plays on for it; who came back is asked again."""
    ana, ben = TablePlayer(hall.edge), TablePlayer(hall.edge)
    occupants = (Person(ana.account_id), Person(ben.account_id), Ai(), Ai())
    table = NewTable(uuid7(hall.edge.clock.now(), bytes(10)), occupants, deals=2)
    await hall.seat(table)
    name = f"tables/{table.table_id}"
    await ana.leave(name)
    second = await hall.play_out(name, ben, until=lambda told: told.deal.number == 2)
    back = await ana.come_back(name)
    closed = await hall.play_out(name, ana, ben)
    facts = [await hall.deal_facts(deal_id) for deal_id in await hall.deals(table.table_id)]

    assert second.deal.seats[0].away
    assert not back.deal.seats[0].away
    assert closed.summary.closing == deal_pb2.TABLE_CLOSING_PLAYED
    assert [any(isinstance(each, SeatReturned) for each in told) for told in facts] == [False, True]


async def test_time_in_which_nobody_could_be_served_is_no_turn_time(hall: TableHall) -> None:
    """The deadline moves on by an outage, and nothing is done in its name."""
    ana = TablePlayer(hall.edge)
    name = (await ana.open()).summary.name
    before = await hall.play_out(name, ana, until=lambda told: told.deal.HasField("open_decision"))
    now = hall.edge.clock.now()
    await hall.database.pool.execute(
        "INSERT INTO outage (from_at, to_at) VALUES ($1, $2)", now, now + timedelta(minutes=59)
    )
    await asyncio.sleep(1.2)  # a beat of the process that serves
    hall.step(hours=1)
    after = await ana.table(name)
    moved = after.deal.deadline_time.ToDatetime() - before.deal.deadline_time.ToDatetime()
    kinds = [each.kind for each in (await ana.act(name, after.deal, quietly(after.deal))).happenings]

    assert moved == timedelta(minutes=59)
    assert after.deal.decision == before.deal.decision
    assert kinds[0] in {table_pb2.HAPPENING_KIND_DISCARDED, table_pb2.HAPPENING_KIND_ANSWERED}
