"""What is asked of the match service: tables are begun and cut, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.eventstore.port import Request
from libs.eventstore.timers import Timers
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as operations
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as words_pb
from services.tournament.domain.tournament.commands import EndEarly, ReportTable
from services.tournament.domain.tournament.words import Ground
from services.tournament.tournaments.tables import ASK_AGAIN, REFUSED_AGAIN, TournamentTables
from services.tournament.tournaments.tournaments import TABLES_TIMER
from tests.support.tournament_desk import BEGIN, OPEN, Desk, FakeMatches, desk_on
from tests.support.tournaments import scored


@pytest.fixture
async def desk(module_database_url: str) -> AsyncIterator[Desk]:
    """A desk on the module's database."""
    async with desk_on(module_database_url) as made:
        yield made


async def test_tables_wait_for_a_match_service_that_is_away_and_are_begun_and_cut(desk: Desk) -> None:
    """However long; told to players once it has answered; a cut begins first what has not begun."""
    name = (await desk.created()).name
    desk.move_to(OPEN)
    players = [uuid4() for _ in range(5)]
    for player in players:
        await desk.register(name, player)
    desk.move_to(BEGIN)
    parts = desk.parts()
    tournament_id = UUID(name.partition("/")[2])
    await parts.tournaments.settle(tournament_id, BEGIN)
    silent, refusing = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INVALID_ARGUMENT
    matches = FakeMatches([silent, silent, refusing])
    store, bus = desk.edge.databases[0].store, desk.edge.runtime.bus
    tables = TournamentTables(parts.tournaments, matches, store, bus, desk.edge.clock)
    again = [await tables.fire(tournament_id, TABLES_TIMER, BEGIN) for _ in range(3)]
    before = await desk.get(name, players[0])
    done = [await tables.fire(tournament_id, TABLES_TIMER, BEGIN) for _ in range(2)]
    after = await desk.get(name, players[0])

    assert again == [BEGIN + ASK_AGAIN, BEGIN + ASK_AGAIN, BEGIN + REFUSED_AGAIN]
    assert done == [None, None]
    assert len(matches.begun) == 2
    assert (before.own.match, before.round.tables) == ("", 2)
    assert after.own.match in {f"matches/{match_id}" for match_id in matches.begun}
    ending = operations.EndTournamentEarlyRequest(
        name=name, ground=words_pb.OPERATOR_GROUND_FAULT, request_id="end"
    )
    ended = await desk.operators.EndTournamentEarly(ending, metadata=desk.as_operator)
    assert ended.tournament.status == page.TOURNAMENT_STATUS_COUNTING
    begun = set(matches.begun)
    matches.begun.pop()
    assert await tables.fire(tournament_id, TABLES_TIMER, BEGIN) is None
    assert (set(matches.begun), set(matches.cuts)) == (begun, begun)


async def test_a_voided_table_that_never_begins_stops_neither_later_rounds_nor_the_end(desk: Desk) -> None:
    """The match service refuses it for ever: what is played is begun, and what ends is cut, all the same."""
    name = (await desk.created()).name
    desk.move_to(OPEN)
    for _ in range(5):
        await desk.register(name, uuid4())
    tournament_id, matches, parts = UUID(name.rpartition("/")[2]), FakeMatches(), desk.parts()
    tables = TournamentTables(
        parts.tournaments, matches, desk.edge.databases[0].store, desk.edge.runtime.bus, desk.edge.clock
    )
    desk.move_to(BEGIN)
    first = (await parts.tournaments.settle(tournament_id, BEGIN)).field.rounds[0].tables
    matches.refused = {first[0].table.match_id}
    await tables.fire(tournament_id, TABLES_TIMER, BEGIN)
    assert matches.begun == []

    void = operations.VoidTournamentResultRequest(
        name=name,
        round_number=1,
        table=0,
        ground=words_pb.OPERATOR_GROUND_FAULT,
        request_id=str(uuid4()),
    )
    await desk.operators.VoidTournamentResult(void, metadata=desk.as_operator)
    await tables.fire(tournament_id, TABLES_TIMER, BEGIN)
    assert matches.begun == [first[1].table.match_id]
    played, results = first[1].table, (scored(20), scored(10))
    report = ReportTable(played.match_id, results, False, BEGIN + timedelta(seconds=9), desk.edge.clock.now())
    key = Request(UUID(int=2), str(uuid4()), b"r" * 32)
    await parts.tournaments.carry_out(tournament_id, report, key)
    desk.move_to(BEGIN + timedelta(seconds=20))
    second = (await parts.tournaments.present(tournament_id)).field.rounds[1].tables
    await tables.fire(tournament_id, TABLES_TIMER, BEGIN)
    later = [row.table.match_id for row in second]
    assert matches.begun[1:] == later

    end = operations.EndTournamentEarlyRequest(
        name=name, ground=words_pb.OPERATOR_GROUND_FAULT, request_id=str(uuid4())
    )
    await desk.operators.EndTournamentEarly(end, metadata=desk.as_operator)
    await tables.fire(tournament_id, TABLES_TIMER, BEGIN)
    assert matches.cuts == later


async def test_an_end_in_the_instant_of_the_start_is_not_lost_while_tables_are_begun(desk: Desk) -> None:
    """The timer that is being fired for the start does not clear the one of the end."""
    name = (await desk.created()).name
    desk.move_to(OPEN)
    for _ in range(4):
        await desk.register(name, uuid4())
    desk.move_to(BEGIN)
    parts, database = desk.parts(), desk.edge.databases[0]
    tournament_id, store = UUID(name.rpartition("/")[2]), database.store

    class Ended(FakeMatches):
        async def begin(self, *told: Any) -> None:
            await super().begin(*told)
            key = Request(UUID(int=2), str(uuid4()), b"e" * 32)
            await parts.tournaments.carry_out(tournament_id, EndEarly(Ground.FAULT, BEGIN), key)

    matches = Ended()
    tables = TournamentTables(parts.tournaments, matches, store, desk.edge.runtime.bus, desk.edge.clock)
    timers = Timers(database, tables.fire, desk.edge.clock.now, kind=TABLES_TIMER)
    await parts.tournaments.settle(tournament_id, BEGIN)
    for _ in range(2):
        await timers.step()
        await timers.settle()

    seated = (await parts.tournaments.present(tournament_id)).field.rounds[0].tables[0].table.match_id
    assert seated in matches.begun
    assert seated in matches.cuts
