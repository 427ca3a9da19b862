"""Tournaments over real gRPC, without a match service: pages, operators, streams, and what is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.eventstore.port import Request
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as operations
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as words_pb
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.pb.sparrow.tournament.v1.tournament_operations_service_pb2_grpc import (
    TournamentOperationsServiceStub,
)
from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from libs.runtime.errors import Refused
from libs.runtime.systemclock import SteppingClock
from services.tournament.domain.calendar.weeks import Week
from services.tournament.domain.tournament.commands import Register, ReportTable
from services.tournament.domain.tournament.terms import Terms
from services.tournament.domain.tournament.verifying import differences
from services.tournament.servicer import bind
from services.tournament.tournaments.parts import TournamentParts
from services.tournament.tournaments.tables import ASK_AGAIN, REFUSED_AGAIN, TournamentTables
from services.tournament.tournaments.tournaments import TABLES_TIMER, TOURNAMENT_TIMER
from services.tournament.wire.tournament_codec import TournamentCodec
from services.tournament.wire.words import terms_message, timestamp
from tests.support.edge import START, Edge, refusal_of, refused, serving
from tests.support.tournaments import CHAMPIONS, TERMS, scored

BEGIN = START + timedelta(hours=30)
OPEN = BEGIN - timedelta(hours=2)


@dataclass
class FakeMatches:
    """A match service that is away for a while, and remembers what was asked."""

    failing: list[grpc.StatusCode] = field(default_factory=list)
    begun: list[UUID] = field(default_factory=list)
    cuts: list[UUID] = field(default_factory=list)
    refused: set[UUID] = field(default_factory=set)

    async def begin(
        self,
        _tournament: UUID,
        _number: int,
        _limit: timedelta,
        _ends: datetime,
        tables: dict[UUID, list[UUID]],
    ) -> None:
        """Begin those that have not begun."""
        if self.failing:
            metadata = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(self.failing.pop(0), metadata, metadata)
        if self.refused & tables.keys():
            metadata = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, metadata, metadata)
        self.begun += [match_id for match_id in tables if match_id not in self.begun]

    async def cut(self, match_ids: list[UUID], _at: datetime) -> list[UUID]:
        """Cut those that have begun."""
        self.cuts += [match_id for match_id in match_ids if match_id in self.begun]
        return [match_id for match_id in match_ids if match_id not in self.begun]


@dataclass
class Desk:
    """Calls of players and operators."""

    edge: Edge
    operator: list[tuple[str, str]] = field(default_factory=list)

    @property
    def players(self) -> Any:
        """The stub of players."""
        return TournamentServiceStub(self.edge.channel)

    @property
    def operators(self) -> Any:
        """The stub of operators."""
        return TournamentOperationsServiceStub(self.edge.channel)

    @property
    def as_operator(self) -> list[tuple[str, str]]:
        """Who calls: an operator."""
        return self.edge.as_operator()

    def move_to(self, at: datetime) -> None:
        """Let it be then."""
        self.edge.clock.advance(at - self.edge.clock.now())

    async def created(self, terms: Terms = TERMS, start: datetime = BEGIN) -> page.Tournament:
        """A tournament."""
        request = operations.CreateTournamentRequest(
            terms=terms_message(terms), start_time=timestamp(start), request_id=str(uuid4())
        )
        reply = await self.operators.CreateTournament(request, metadata=self.as_operator)
        made: page.Tournament = reply.tournament
        return made

    async def register(self, name: str, account: UUID) -> page.Tournament:
        """Enter."""
        request = pb.RegisterForTournamentRequest(name=name, request_id=str(uuid4()))
        reply = await self.players.RegisterForTournament(request, metadata=self.edge.as_player(account))
        entered: page.Tournament = reply.tournament
        return entered

    async def get(self, name: str, account: UUID) -> page.Tournament:
        """The page for a player."""
        request = pb.GetTournamentRequest(name=name)
        reply = await self.players.GetTournament(request, metadata=self.edge.as_player(account))
        read: page.Tournament = reply.tournament
        return read

    def parts(self, clock: SteppingClock | None = None) -> TournamentParts:
        """Another process on the same database."""
        runtime = replace(self.edge.runtime, clock=clock or self.edge.clock)
        return TournamentParts(runtime, self.edge.databases[0], Wake(runtime.bus, "tournament"), _no_points)


async def _no_points(_account: UUID, _week: Week) -> int:
    return 0


@asynccontextmanager
async def _desk(url: str) -> AsyncIterator[Desk]:
    async with serving([bind], database_url=url) as edge:
        yield Desk(edge)


@pytest.fixture
async def desk(module_database_url: str) -> AsyncIterator[Desk]:
    """A desk on the module's database."""
    async with _desk(module_database_url) as made:
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


async def test_replicas_whose_clocks_are_five_seconds_apart_take_each_step_once(desk: Desk) -> None:
    """Each at the instant at which it was due, whoever was first; the slow one's orders count after it."""
    name = (await desk.created(replace(TERMS, rounds=(1,)))).name
    tournament_id = UUID(name.partition("/")[2])
    now = BEGIN - timedelta(seconds=2)
    clocks = [SteppingClock(now), SteppingClock(now + timedelta(seconds=5))]
    replicas = [desk.parts(clock) for clock in clocks]
    desk.move_to(now)
    players = [uuid4() for _ in range(4)]
    for player in players:
        await desk.register(name, player)
    database = desk.edge.databases[0]
    timers = [
        Timers(database, parts.tournaments.fire, clock.now, kind=TOURNAMENT_TIMER)
        for parts, clock in zip(replicas, clocks, strict=True)
    ]
    for _second in range(8):
        await asyncio.gather(*(each.step() for each in timers))
        await asyncio.gather(*(each.settle() for each in timers))
        for clock in clocks:
            clock.advance(timedelta(seconds=1))
    request = pb.WithdrawFromTournamentRequest(name=name, request_id="slow")
    await desk.players.WithdrawFromTournament(request, metadata=desk.edge.as_player(players[0]))
    recorded = await database.store.load(tournament_id)
    steps = [(each.type.split(".")[2], each.occurred_at) for each in recorded]

    assert [step for step in steps if step[0] in {"tournament_started", "round_seated"}] == [
        ("tournament_started", BEGIN),
        ("round_seated", BEGIN),
    ]
    assert steps[-1] == ("player_withdrew", BEGIN), "never before what was there"
    assert differences([TournamentCodec().decode(each) for each in recorded]) == []


async def test_of_fifty_calls_for_the_last_place_one_gets_it(desk: Desk) -> None:
    """At two replicas at once; nobody is told of a conflict, and a place that is given up is free."""
    name = (await desk.created(replace(TERMS, maximum=3))).name
    tournament_id, other = UUID(name.partition("/")[2]), desk.parts()
    desk.move_to(OPEN)
    for _ in range(2):
        await desk.register(name, uuid4())
    players = [uuid4() for _ in range(50)]

    async def enter(number: int) -> str:
        try:
            if number % 2:
                await desk.register(name, players[number])
            else:
                key = Request(players[number], "in", bytes(32))
                await other.tournaments.carry_out(tournament_id, Register(players[number], OPEN), key)
        except (grpc.aio.AioRpcError, Refused) as error:
            return error.reason if isinstance(error, Refused) else refusal_of(error).reason
        return "IN"

    told = await asyncio.gather(*map(enter, range(50)))
    winner = players[told.index("IN")]
    leaving = pb.WithdrawFromTournamentRequest(name=name, request_id="out")
    for _ in range(2):
        await desk.players.WithdrawFromTournament(leaving, metadata=desk.edge.as_player(winner))
    back = await desk.register(name, winner)

    assert sorted(told) == ["IN"] + ["TOURNAMENT_FULL"] * 49
    assert (back.registered, back.own.registered) == (3, True)


async def test_pages_say_why_somebody_may_not_enter(desk: Desk) -> None:
    """Before the opening, and while the ledger is away without a word on the entry condition."""
    account, name = uuid4(), (await desk.created(CHAMPIONS)).name
    early = (await desk.get(name, account)).own
    desk.move_to(OPEN)
    unknown = (await desk.get(name, account)).own
    entering = pb.RegisterForTournamentRequest(name=name, request_id="in")
    told = await refused(desk.players.RegisterForTournament(entering, metadata=desk.edge.as_player(account)))
    open_name = (await desk.created()).name
    free = (await desk.get(open_name, account)).own
    inside = await desk.register(open_name, account)

    assert (told.reason, told.retry_after_ms) == ("NOT_READY", 1_000)
    assert (early.entry_refusal, early.entry_refusal_text) == (
        "REGISTRATION_NOT_OPEN",
        "Registration has not opened yet.",
    )
    assert (unknown.entry_refusal, unknown.HasField("prize_points")) == ("", False)
    assert (free.entry_refusal, free.registered) == ("", False)
    assert (inside.own.registered, inside.registered) == (True, 1)


async def test_series_are_created_listed_by_pages_and_stopped(database_url: str) -> None:
    """A repeat is the same series; the list has each occurrence once, in the order of starts."""
    async with _desk(database_url) as desk:
        request = operations.CreateTournamentSeriesRequest(
            first_day="2026-03-01",
            clock="20:00",
            recurrence="FREQ=DAILY",
            terms=terms_message(TERMS),
            request_id="series",
        )
        made = [
            (await desk.operators.CreateTournamentSeries(request, metadata=desk.as_operator)).series
            for _ in range(2)
        ]
        found: list[page.Tournament] = []
        ask = pb.ListTournamentsRequest(page_size=5)
        player = desk.edge.as_player(uuid4())
        while True:
            reply = await desk.players.ListTournaments(ask, metadata=player)
            found += reply.tournaments
            ask.page_token = reply.next_page_token
            if not ask.page_token:
                break
        stop = operations.StopTournamentSeriesRequest(name=made[0].name, request_id="stop")
        stopped = (await desk.operators.StopTournamentSeries(stop, metadata=desk.as_operator)).series

        assert made[0] == made[1]
        assert (made[0].going, stopped.going) == (True, False)
        assert len({each.name for each in found}) == len(found) == 14
        assert {each.series for each in found} == {made[0].name}
        starts = [each.start_time.seconds for each in found]
        assert starts == sorted(starts)
        request.recurrence, request.request_id = "FREQ=HOURLY", "other"
        wrong = await refused(desk.operators.CreateTournamentSeries(request, metadata=desk.as_operator))
        assert (wrong.reason, wrong.field) == ("FIELD_INVALID", "recurrence")


@pytest.mark.parametrize(
    ("terms", "wrong"),
    [
        (replace(TERMS, minimum=1), "terms.minimum"),
        (replace(TERMS, rounds=(7,)), "terms.multipliers"),
        (replace(TERMS, name=""), "terms.name"),
    ],
)
async def test_terms_that_are_not_possible_are_refused_by_field(desk: Desk, terms: Terms, wrong: str) -> None:
    """Nothing is scheduled."""
    request = operations.CreateTournamentRequest(
        terms=terms_message(terms), start_time=timestamp(BEGIN), request_id="wrong"
    )
    told = await refused(desk.operators.CreateTournament(request, metadata=desk.as_operator))

    assert (told.reason, told.field) == ("FIELD_INVALID", wrong)


async def test_a_stream_that_is_resumed_tells_what_came_since_and_ends_with_its_reason(desk: Desk) -> None:
    """A heartbeat where nothing came; CANCELLED with a sentence at the end, also for who comes later."""
    name, account = (await desk.created()).name, uuid4()
    player = desk.edge.as_player(account)
    first = desk.players.WatchTournament(pb.WatchTournamentRequest(name=name), metadata=player)
    seen = await first.read()
    first.cancel()
    again = pb.WatchTournamentRequest(name=name, resume_token=seen.resume_token)
    second = desk.players.WatchTournament(again, metadata=player)
    quiet = await second.read()
    second.cancel()
    cancel = operations.CancelTournamentRequest(
        name=name, ground=words_pb.OPERATOR_GROUND_OTHER, request_id="cancel"
    )
    await desk.operators.CancelTournament(cancel, metadata=desk.as_operator)
    third = desk.players.WatchTournament(again, metadata=player)
    news = [message async for message in third]

    assert seen.seen.tournament.status == page.TOURNAMENT_STATUS_SCHEDULED
    assert quiet.HasField("heartbeat")
    assert [message.WhichOneof("payload") for message in news] == ["seen", "end"]
    assert news[0].seen.tournament.cancelling == words_pb.TOURNAMENT_CANCELLING_OPERATOR
    assert news[1].end.reason == "CANCELLED"
    assert news[1].end.text == "The tournament was cancelled. No prizes are paid."
