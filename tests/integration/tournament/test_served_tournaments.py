"""Tournaments over real gRPC, without a match service: pages, operators, streams, and what is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import grpc
import pytest

from libs.eventstore.port import Request
from libs.eventstore.timers import Timers
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as operations
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as words_pb
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.runtime.errors import Refused
from libs.runtime.systemclock import SteppingClock
from services.tournament.domain.tournament.commands import Register
from services.tournament.domain.tournament.terms import Terms
from services.tournament.domain.tournament.verifying import differences
from services.tournament.tournaments.tournaments import TOURNAMENT_TIMER
from services.tournament.wire.tournament_codec import TournamentCodec
from services.tournament.wire.words import terms_message, timestamp
from tests.support.edge import refusal_of, refused
from tests.support.tournament_desk import BEGIN, OPEN, Desk, desk_on
from tests.support.tournaments import CHAMPIONS, TERMS


@pytest.fixture
async def desk(module_database_url: str) -> AsyncIterator[Desk]:
    """A desk on the module's database."""
    async with desk_on(module_database_url) as made:
        yield made


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
    async with desk_on(database_url) as desk:
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
