"""Closed tables are listed for those who sat there, and told again to them alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventsourcing.ids import uuid7
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Fenced, StreamAppend
from libs.eventstore.sequencer import Sequencer
from libs.pb.sparrow.mcr.v1 import deal_pb2, table_history_pb2, table_pb2
from libs.pb.sparrow.mcr.v1 import table_history_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.table_history_service_pb2_grpc import HistoryServiceStub
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.terms import Ai, Occupant, Person, Wall
from services.mcr.domain.deal.verifying import wall_differences
from services.mcr.history.projector import history_projector
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.edge import refused
from tests.support.mcr_deals import START
from tests.support.mcr_hall import TableHall, TablePlayer, tables_served
from tests.support.mcr_tables import PlayedTable, played_table

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables."""
    async with tables_served(database_url) as served:
        yield served


async def tables(hall: TableHall, player: TablePlayer, **page: Any) -> pb.ListPlayedTablesResponse:
    """A page of a player's tables."""
    stub: Any = HistoryServiceStub(hall.edge.channel)
    answer: pb.ListPlayedTablesResponse = await stub.ListPlayedTables(
        pb.ListPlayedTablesRequest(**page), metadata=player.metadata
    )
    return answer


async def replay(hall: TableHall, player: TablePlayer, name: str, **page: Any) -> pb.GetTableReplayResponse:
    """A page of a deal told again."""
    stub: Any = HistoryServiceStub(hall.edge.channel)
    answer: pb.GetTableReplayResponse = await stub.GetTableReplay(
        pb.GetTableReplayRequest(name=name, **page), metadata=player.metadata
    )
    return answer


async def all_steps(
    hall: TableHall, player: TablePlayer, name: str, **asked: Any
) -> list[table_history_pb2.TableStep]:
    """Every step of a deal, page by page."""
    found: list[table_history_pb2.TableStep] = []
    page = await replay(hall, player, name, page_size=40, **asked)
    found += page.replay.steps
    while page.next_page_token:
        page = await replay(hall, player, name, page_size=40, page_token=page.next_page_token, **asked)
        found += page.replay.steps
    assert len(found) == page.replay.step_count
    return found


async def entered(hall: TableHall, epoch: int = 1) -> None:
    """Sequence and enter all that has closed."""
    while await Sequencer(hall.database, Part.FACTS).step(epoch):
        pass
    projector = history_projector(hall.database, hall.edge.clock.now)
    done = await projector.claim(epoch)
    while (further := await projector.step(epoch, done)) != done:
        done = further


async def sat(
    hall: TableHall, *occupants: Occupant, deals: int = 1, seed: int = 1
) -> tuple[str, PlayedTable]:
    """A table that was played to its closing elsewhere: its name, and what happened there."""
    table_id = uuid7(START, bytes([seed]) * 10)
    table = played_table(occupants, deals, seed=seed, table_id=table_id)
    streams: dict[UUID, tuple[Any, Sequence[Any]]] = {table_id: (TableCodec(), table.facts)}
    streams |= {deal_id: (DealCodec(), events) for deal_id, events in table.deals.items()}
    for stream_id, (codec, events) in streams.items():
        told = tuple(
            NewEvent(part, kind, version, event.occurred_at, data)
            for event in events
            for part, kind, version, data in [codec.encode(event)]
        )
        append = StreamAppend(stream_id, STREAM_DOES_NOT_EXIST, told)
        await hall.database.store.append([append], recorded_at=START, caller=table_id)
    return f"tables/{table_id}", table


def unlike(steps: list[table_history_pb2.TableStep], seat: int) -> set[int]:
    """The other seats whose hands lie open in steps, before the deal ended."""
    return {
        other
        for step in steps
        if not step.deal.HasField("outcome")
        for other, told in enumerate(step.deal.seats)
        if other != seat and told.hand
    }


async def test_closed_tables_are_listed_newest_first_for_who_sat_there(hall: TableHall) -> None:
    """Page by page, with seats, points and rows; what goes on is not listed; thrown away, they come again."""
    ana, eve = TablePlayer(hall.edge), TablePlayer(hall.edge)
    seat = Person(ana.account_id)
    names = [(await sat(hall, Ai(), seat, Ai(), Ai(), deals=number, seed=number))[0] for number in (1, 2)]
    await ana.open()
    await entered(hall)

    first = await tables(hall, ana, page_size=1)
    second = await tables(hall, ana, page_size=1, page_token=first.next_page_token)
    listed = [*first.tables, *second.tables]
    assert [each.summary.name for each in listed] == names[::-1]
    assert second.next_page_token == ""
    newest = listed[0]
    assert newest.summary.closing == deal_pb2.TABLE_CLOSING_PLAYED
    assert [row.number for row in newest.summary.rows] == [1, 2]
    assert newest.summary.seats[newest.own_seat].player == ana.name
    assert sum(each.points for each in newest.summary.seats) == 0
    assert newest.start_time.ToDatetime() < newest.end_time.ToDatetime()
    assert list((await tables(hall, eve)).tables) == []

    async with hall.database.engine.begin() as connection:
        await connection.execute(text("DELETE FROM played_table"))
        await connection.execute(text("DELETE FROM checkpoint WHERE name = 'history'"))
    await entered(hall)
    assert list((await tables(hall, ana)).tables) == listed


async def test_a_deal_is_told_again_as_it_was_seen_or_openly(hall: TableHall) -> None:
    """Steps page by page, the win with its fans, the wall with what its commitment covered."""
    ana, bob = TablePlayer(hall.edge), TablePlayer(hall.edge)
    seats = (Person(ana.account_id), Ai(), Person(bob.account_id), Ai())
    name, table = await sat(hall, *seats, deals=2)

    for number, events in enumerate(table.deals.values(), 1):
        page = (await replay(hall, ana, name, deal_number=number, page_size=1)).replay
        row = page.summary.rows[number - 1]
        assert page.deal_number == number
        check_reveal(page, row)
        then = await all_steps(hall, ana, name, deal_number=number)
        openly = await all_steps(hall, ana, name, deal_number=number, open=True)
        assert unlike(then, 0) == set()
        assert unlike(openly, 0) == {1, 2, 3}
        assert len(then) < len(openly) == len(events)
        for steps in (then, openly):
            assert steps[0].happening.kind == table_pb2.HAPPENING_KIND_DEALT
            assert steps[-1].happening.kind == table_pb2.HAPPENING_KIND_REVEALED
            assert steps[-1].deal.outcome == row.outcome
    bobs = await all_steps(hall, bob, name)
    assert unlike(bobs, 2) == set()
    assert bobs[0].deal.seat == 2


def check_reveal(page: table_history_pb2.TableReplay, row: table_pb2.DealRow) -> None:
    """The wall follows from what is laid open, and that is what the commitment covered."""
    wall = Wall(
        tuple(map(TileId, page.wall_tiles)),
        row.dealer,
        page.reveal.seed,
        page.reveal.nonce,
        page.steps[0].deal.commitment,
    )
    assert wall_differences(wall, row.number) == []


async def test_only_who_sat_there_looks_back_and_only_at_deals_that_were_played(hall: TableHall) -> None:
    """NOT_YOURS, NOT_FOUND, MATCH_RUNNING, FIELD_INVALID; tokens of one listing open no other."""
    ana, eve = TablePlayer(hall.edge), TablePlayer(hall.edge)
    name, table = await sat(hall, Person(ana.account_id), Ai(), Ai(), Ai())

    assert (await refused(replay(hall, eve, name))).reason == "NOT_YOURS"
    for stranger in (UUID(int=5), next(iter(table.deals))):
        assert (await refused(replay(hall, ana, f"tables/{stranger}"))).reason == "NOT_FOUND"
    running = (await ana.open()).summary.name
    assert (await refused(replay(hall, ana, running))).reason == "MATCH_RUNNING"
    for number in (2, -1):
        wrong = await refused(replay(hall, ana, name, deal_number=number))
        assert wrong.reason == "FIELD_INVALID"
    token = (await replay(hall, ana, name, page_size=5)).next_page_token
    for call in (replay(hall, ana, name, open=True, page_token=token), tables(hall, ana, page_token=token)):
        assert (await refused(call)).reason == "PAGE_TOKEN_INVALID"


async def test_a_later_holder_fences_the_earlier_one(hall: TableHall) -> None:
    """Nothing is entered twice, or by two; a closing that opens no table is parked."""
    ana = TablePlayer(hall.edge)
    name, table = await sat(hall, Person(ana.account_id), Ai(), Ai(), Ai())
    part, kind, version, data = TableCodec().encode(table.facts[-1])
    lost = StreamAppend(UUID(int=9), STREAM_DOES_NOT_EXIST, (NewEvent(part, kind, version, START, data),))
    await hall.database.store.append([lost], recorded_at=START, caller=UUID(int=9))
    await entered(hall, 2)

    projector = history_projector(hall.database, hall.edge.clock.now)
    with pytest.raises(Fenced):
        await projector.step(1, 0)
    assert [each.summary.name for each in (await tables(hall, ana)).tables] == [name]
    async with hall.database.engine.connect() as connection:
        parked = (await connection.execute(text("SELECT reason FROM parked"))).scalars().all()
    assert [reason.split(":")[0] for reason in parked] == ["MALFORMED"]
