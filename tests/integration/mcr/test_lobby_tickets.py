"""Tickets lead to tables: of four persons at once, of fewer with AI players after a while."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.pb.sparrow.mcr.v1 import deal_pb2, lobby_pb2
from libs.queueing import store
from libs.rules.pairing.choosing import Met
from services.mcr.domain.session.events import TableOpened
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.matchmaker import Matchmaker
from tests.support.edge import refused
from tests.support.mcr_hall import TableHall, id_of
from tests.support.mcr_lobby import LobbyPlayer, lobby_served

EASY, MIDDLE, STRONG = deal_pb2.AI_LEVEL_EASY, deal_pb2.AI_LEVEL_MIDDLE, deal_pb2.AI_LEVEL_STRONG
FILLED = timedelta(seconds=20)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The lobby, served; time stands."""
    async with lobby_served(database_url) as served:
        yield served


def players(hall: TableHall, count: int) -> list[LobbyPlayer]:
    """Persons who have never met."""
    return [LobbyPlayer(hall.edge) for _ in range(count)]


async def test_four_who_wait_sit_together_at_once(hall: TableHall) -> None:
    """No AI player is needed, and everybody is told the same table."""
    four = players(hall, 4)
    for player in four:
        await player.queue()

    tables = {await player.seated() for player in four}

    (name,) = tables
    table = await four[0].table(name)
    assert {seat.player for seat in table.summary.seats} == {player.name for player in four}
    assert (table.summary.deal_count, table.summary.private) == (1, False)


async def test_one_alone_sits_down_with_ai_players_after_twenty_seconds(hall: TableHall) -> None:
    """Of the level that the ticket asks for; not a moment before."""
    (ana,) = players(hall, 1)
    ticket = await ana.queue(deals=4, level=STRONG)
    assert ticket.expected_wait.ToTimedelta() == FILLED
    hall.step(seconds=19.9)
    await asyncio.sleep(0.6)
    assert (await ana.ticket()).state == lobby_pb2.TICKET_STATE_WAITING

    hall.step(seconds=0.1)
    table = await ana.table(await ana.seated())

    assert sorted(seat.ai_level for seat in table.summary.seats) == [0, STRONG, STRONG, STRONG]
    assert table.summary.deal_count == 4


async def test_the_first_of_those_who_wait_says_when_and_against_which_level(hall: TableHall) -> None:
    """The third one has waited for a second only; the others are told how long it is at most."""
    ana, ben, cem = players(hall, 3)
    await ana.queue(level=EASY)
    hall.step(seconds=12)
    later = await ben.queue(level=STRONG)
    hall.step(seconds=7)
    await cem.queue()
    hall.step(seconds=1)

    table = await ana.table(await ana.seated())

    assert later.expected_wait.ToTimedelta() == timedelta(seconds=8)
    assert {each.player for each in table.summary.seats} == {ana.name, ben.name, cem.name, ""}
    assert [each.ai_level for each in table.summary.seats if not each.player] == [EASY]
    assert await ben.seated() == await cem.seated()


async def test_who_waits_for_another_number_of_deals_sits_elsewhere(hall: TableHall) -> None:
    """Two queues, two tables."""
    ana, ben = players(hall, 2)
    await ana.queue(deals=1)
    await ben.queue(deals=16)
    hall.step(seconds=20)

    assert await ana.seated() != await ben.seated()


@pytest.mark.parametrize(("deals", "level", "field"), [(2, MIDDLE, "deal_count"), (1, 9, "ai_level")])
async def test_what_no_table_has_is_refused(hall: TableHall, deals: int, level: int, field: str) -> None:
    """One, four, eight or sixteen deals; three levels."""
    (ana,) = players(hall, 1)
    told = await refused(ana.queue(deals, deal_pb2.AiLevel.ValueType(level)))
    assert (told.reason, told.metadata["field"]) == ("FIELD_INVALID", field)


async def test_an_account_waits_once_and_does_not_wait_while_it_sits(hall: TableHall) -> None:
    """The ticket and the table that are in the way are named."""
    (ana,) = players(hall, 1)
    ticket = await ana.queue()
    twice = await refused(ana.queue())
    hall.step(seconds=20)
    table = await ana.seated()
    seated = await refused(ana.queue())
    late = await refused(ana.cancel(ticket.name))

    assert (twice.reason, twice.metadata["name"]) == ("ALREADY_QUEUED", ticket.name)
    assert (seated.reason, seated.metadata["name"]) == ("ALREADY_SEATED", table)
    assert (late.reason, late.metadata["table"]) == ("TICKET_MATCHED", table)


async def test_a_repeated_request_gets_the_first_answer(hall: TableHall) -> None:
    """Also when the table has begun since."""
    (ana,) = players(hall, 1)
    request_id = str(uuid4())
    first = await ana.queue(8, EASY, request_id)
    hall.step(seconds=20)
    await ana.seated()

    assert await ana.queue(8, EASY, request_id) == first


async def test_who_cancels_sits_nowhere_and_may_wait_again(hall: TableHall) -> None:
    """The stream says so; the others sit down without."""
    ana, ben = players(hall, 2)
    ticket = await ana.queue()
    await ben.queue()
    stream = ana.watch_ticket(ticket.name)
    told = [await anext(aiter(stream))]
    cancelled = await ana.cancel(ticket.name)
    told += [each async for each in stream]
    hall.step(seconds=20)
    table = await ben.table(await ben.seated())

    assert told[0].ticket.state == lobby_pb2.TICKET_STATE_WAITING
    assert cancelled.state == lobby_pb2.TICKET_STATE_CANCELLED
    assert told[-1].end.reason == "CANCELLED"
    assert told[-1].end.text
    assert sum(bool(seat.player) for seat in table.summary.seats) == 1
    assert (await ana.queue()).state == lobby_pb2.TICKET_STATE_WAITING


async def test_a_ticket_of_another_player_is_nobodys_business(hall: TableHall) -> None:
    """Neither to look at nor to cancel; nor is there one of an unknown name."""
    ana, ben = players(hall, 2)
    ticket = await ana.queue()
    for name, reason in ((ticket.name, "NOT_YOURS"), (f"tickets/{uuid4()}", "NOT_FOUND")):
        for call in (ben.ticket, ben.cancel):
            assert (await refused(call(name))).reason == reason


async def test_a_ticket_can_be_read_for_a_day(hall: TableHall) -> None:
    """With the table it led to."""
    (ana,) = players(hall, 1)
    ticket = await ana.queue()
    hall.step(seconds=20)
    table = await ana.seated()
    hall.step(hours=23)

    assert (await ana.ticket(ticket.name)).table == table


async def test_seats_are_drawn_and_stand_in_the_terms(hall: TableHall) -> None:
    """Forty persons alone come to sit on every seat; the fact of the opening says which."""
    forty = players(hall, 40)
    for player in forty:
        await player.queue()
        hall.step(seconds=20)
        await player.seated()
    seats = set()
    for player in forty:
        name = (await player.ticket()).table
        (opened, *_rest) = await hall.table_facts(id_of(name))
        assert isinstance(opened, TableOpened)
        told = (await player.table(name)).summary
        seat = [each.player for each in told.seats].index(player.name)
        assert opened.terms.occupants[seat].account_id == player.account_id  # type: ignore[union-attr]
        seats.add(seat)

    assert seats == {0, 1, 2, 3}


async def test_a_ticket_expires_where_nobody_works(database_url: str) -> None:
    """Five minutes without a matchmaker: it waits no more, and the next one may be made."""
    async with lobby_served(database_url, matchmaking=False) as hall:
        (ana,) = players(hall, 1)
        ticket = await ana.queue()
        hall.step(seconds=300)
        expired = await ana.ticket(ticket.name)
        assert expired.state == lobby_pb2.TICKET_STATE_EXPIRED
        assert expired.expire_time.ToDatetime(UTC) == hall.edge.clock.now()
        assert (await ana.queue()).name != ticket.name


async def test_who_sits_elsewhere_meanwhile_holds_up_nobody_but_the_own_table(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a rematch once the ticket has been taken: the other four begin in the same step."""
    async with lobby_served(database_url, matchmaking=False) as hall:
        eight = players(hall, 8)
        for player in eight:
            await player.queue()
        last_opponents = store.last_opponents

        async def after_a_start(connection: AsyncConnection, queue: str, accounts: list[UUID]) -> Met:
            seated = "INSERT INTO live_seat VALUES ($1, $2, now(), now()) ON CONFLICT DO NOTHING"
            await hall.database.pool.execute(seated, eight[0].account_id, uuid4())
            return await last_opponents(connection, queue, accounts)

        monkeypatch.setattr(store, "last_opponents", after_a_start)
        runtime, randomness = hall.edge.runtime, secrets.token_bytes
        matchmaker = Matchmaker(
            hall.database.store,
            Beginnings(hall.beginnings, randomness),
            runtime.bus,
            hall.edge.clock.now,
            randomness,
            fill_after=FILLED,
        )
        assert await matchmaker.step() == 1
        tables = [(await player.ticket()).table for player in eight]

    assert tables[:4] == [""] * 4
    assert len(set(tables[4:])) == 1
    assert tables[4]
