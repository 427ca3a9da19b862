"""Tournaments on a real PostgreSQL: many at once, two replicas, timers, series; time moves by the tests."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore import faults
from libs.eventstore.port import Request
from libs.eventstore.postgres.database import Database
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.runtime.errors import Refused
from services.tournament.domain.calendar.rules import CalendarRule
from services.tournament.domain.calendar.weeks import Week
from services.tournament.domain.series.commands import CreateSeries, StopSeries
from services.tournament.domain.series.decide import plans_ahead
from services.tournament.domain.series.state import Going
from services.tournament.domain.series.state import State as SeriesState
from services.tournament.domain.series.terms import Series
from services.tournament.domain.tournament.commands import (
    Command,
    Register,
    ReportTable,
    ScheduleTournament,
    Withdraw,
)
from services.tournament.domain.tournament.page import Status
from services.tournament.domain.tournament.state import Cancelled, Finished, Playing
from services.tournament.domain.tournament.terms import Terms
from services.tournament.domain.tournament.verifying import differences
from services.tournament.domain.tournament.words import Plan
from services.tournament.servicer import bind
from services.tournament.tournaments import series as series_module
from services.tournament.tournaments.parts import TournamentParts
from services.tournament.tournaments.store import Listed, list_tournaments
from services.tournament.tournaments.tournaments import TOURNAMENT_TIMER, Carried
from services.tournament.wire.tournament_codec import TournamentCodec
from tests.support.edge import START, Edge, serving
from tests.support.tournaments import CHAMPIONS, TERMS, scored

BEGIN = START + timedelta(hours=30)
"""When tournaments of these tests start."""
SMALL = replace(TERMS, maximum=10)


def request() -> Request:
    """A new key."""
    key = str(uuid4())
    return Request(UUID(int=1), key, hashlib.sha256(key.encode()).digest())


@dataclass
class Scene:
    """A served tournament service, and the orders that no call gives yet."""

    edge: Edge
    database: Database
    parts: TournamentParts
    weekly: dict[UUID, int] = field(default_factory=dict)
    asked: list[tuple[UUID, Week]] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        """What the clock shows."""
        return self.edge.clock.now()

    def move_to(self, at: datetime) -> None:
        """Let it be then."""
        self.edge.clock.advance(at - self.now)

    def replica(self) -> TournamentParts:
        """Another process on the same database."""
        return TournamentParts(
            self.edge.runtime, self.database, Wake(self.edge.runtime.bus, "tournament"), self.points_of
        )

    async def points_of(self, account_id: UUID, week: Week) -> int:
        """The ledger's word."""
        self.asked.append((account_id, week))
        return self.weekly.get(account_id, 0)

    async def give(
        self, tournament_id: UUID, command: Command, parts: TournamentParts | None = None
    ) -> Carried:
        """Carry a command out."""
        return await (parts or self.parts).tournaments.carry_out(tournament_id, command, request())

    async def scheduled(self, terms: Terms = SMALL) -> UUID:
        """A tournament that starts at BEGIN."""
        tournament_id = uuid7(self.now, uuid4().bytes[:RANDOM_BYTES])
        await self.give(tournament_id, ScheduleTournament(Plan(tournament_id, terms, BEGIN), self.now))
        return tournament_id

    async def begun(self, players: int, terms: Terms = SMALL) -> UUID:
        """A tournament that has started with so many players."""
        tournament_id = await self.scheduled(terms)
        self.move_to(BEGIN - timedelta(hours=1))
        for _ in range(players):
            await self.give(tournament_id, Register(uuid4(), self.now))
        self.move_to(BEGIN)
        await self.parts.tournaments.settle(tournament_id, self.now)
        return tournament_id

    async def row(self, tournament_id: UUID) -> Listed:
        """What lists say of a tournament."""
        return next(each for each in await self.listed() if each.tournament_id == tournament_id)

    async def listed(self) -> list[Listed]:
        """All tournaments in the order of their starts."""
        async with self.database.store.transaction() as transaction:
            return await list_tournaments(transaction.connection, (START, UUID(int=0)), 1_000)

    async def facts(self, tournament_id: UUID) -> list[Any]:
        """The stream."""
        codec = TournamentCodec()
        return [codec.decode(each) for each in await self.database.store.load(tournament_id)]

    async def timers(self, tournament_id: UUID) -> list[datetime]:
        """When the tournament is looked at again."""
        rows = await self.database.pool.fetch(
            "SELECT due FROM timer WHERE stream_id = $1 AND kind = $2", tournament_id, TOURNAMENT_TIMER
        )
        return [row["due"] for row in rows]


@asynccontextmanager
async def scene_on(database_url: str) -> AsyncIterator[Scene]:
    """Serve, with time standing."""
    async with serving([bind], database_url=database_url) as edge:
        scene = Scene(edge, edge.databases[0], None)  # type: ignore[arg-type]
        scene.parts = scene.replica()
        yield scene


@pytest.fixture
async def scene(module_database_url: str) -> AsyncIterator[Scene]:
    """A scene of its own on the module's database."""
    async with scene_on(module_database_url) as made:
        yield made


async def test_of_many_who_register_at_once_as_many_get_in_as_may(scene: Scene) -> None:
    """At two replicas; the others are told that it is full, and a place that is given up is taken."""
    tournament_id, other = await scene.scheduled(), scene.replica()
    scene.move_to(BEGIN - timedelta(hours=2))
    players = [uuid4() for _ in range(24)]

    async def register(number: int, player: UUID) -> str:
        parts = (scene.parts, other)[number % 2]
        while True:
            try:
                await scene.give(tournament_id, Register(player, scene.now), parts)
            except Refused as error:
                if error.reason != "STREAM_CONFLICT":
                    return error.reason
            else:
                return "IN"

    told = await asyncio.gather(*(register(number, player) for number, player in enumerate(players)))

    assert sorted(told) == ["IN"] * 10 + ["TOURNAMENT_FULL"] * 14
    assert (await scene.row(tournament_id)).registered == 10
    leaver = players[told.index("IN")]
    await scene.give(tournament_id, Withdraw(leaver, scene.now))
    assert await register(0, players[told.index("TOURNAMENT_FULL")]) == "IN"
    assert differences(await scene.facts(tournament_id)) == []


async def test_two_replicas_that_start_at_once_seat_one_round(scene: Scene) -> None:
    """Whoever is first; both then know the same matches."""
    tournament_id, other = await scene.scheduled(), scene.replica()
    scene.move_to(BEGIN - timedelta(hours=1))
    for _ in range(7):
        await scene.give(tournament_id, Register(uuid4(), scene.now))
    scene.move_to(BEGIN)
    one, two = await asyncio.gather(
        *(parts.tournaments.settle(tournament_id, scene.now) for parts in (scene.parts, other))
    )

    assert isinstance(one, Playing)
    assert one == two
    names = [type(event).__name__ for event in await scene.facts(tournament_id)]
    assert (names.count("TournamentStarted"), names.count("RoundSeated")) == (1, 1)


async def test_too_few_at_the_start_leave_nothing_to_wake_for(scene: Scene) -> None:
    """Cancelled at its instant, in the row too."""
    tournament_id = await scene.begun(1)

    assert isinstance(await scene.parts.tournaments.present(tournament_id), Cancelled)
    assert (await scene.row(tournament_id)).status is Status.CANCELLED
    assert await scene.timers(tournament_id) == []


async def test_timers_carry_a_tournament_from_its_opening_to_its_end(scene: Scene) -> None:
    """Each step at its instant; the row follows, and nothing is left to wake for."""
    tournament_id = await scene.scheduled(replace(SMALL, rounds=(1, 2)))
    timers = Timers(scene.database, scene.parts.tournaments.fire, scene.edge.clock.now, kind=TOURNAMENT_TIMER)

    async def tick() -> None:
        await timers.step()
        await timers.settle()

    assert await scene.timers(tournament_id) == [BEGIN - timedelta(days=1)]
    scene.move_to(BEGIN - timedelta(days=1))
    await tick()
    assert (await scene.row(tournament_id)).status is Status.REGISTRATION
    for _ in range(5):
        await scene.give(tournament_id, Register(uuid4(), scene.now))
    for number in (1, 2):
        scene.move_to(BEGIN + timedelta(seconds=0 if number == 1 else 70))
        await tick()
        state = await scene.parts.tournaments.present(tournament_id)
        assert isinstance(state, Playing)
        assert (await scene.row(tournament_id)).status is Status.RUNNING
        scene.move_to(scene.now + timedelta(seconds=60))
        for row in state.field.rounds[-1].tables:
            results = tuple(scored(100 + player) for player in row.table.players)
            report = ReportTable(row.table.match_id, results, False, scene.now, scene.now)
            await scene.give(tournament_id, report)
    finished = await scene.parts.tournaments.present(tournament_id)

    assert isinstance(finished, Finished)
    assert len(finished.awards) == 3
    assert (await scene.row(tournament_id)).status is Status.FINISHED
    assert await scene.timers(tournament_id) == []
    assert differences(await scene.facts(tournament_id)) == []


async def test_a_repeated_order_is_answered_by_what_the_first_one_did(scene: Scene) -> None:
    """Also when the tournament has gone on; the key with another order is refused."""
    tournament_id = await scene.scheduled()
    scene.move_to(BEGIN - timedelta(hours=2))
    key, player = request(), uuid4()
    tournaments = scene.parts.tournaments
    first = await tournaments.carry_out(tournament_id, Register(player, scene.now), key)
    await scene.give(tournament_id, Withdraw(player, scene.now))
    again = await scene.replica().tournaments.carry_out(tournament_id, Register(player, scene.now), key)

    assert again.events == first.events
    with pytest.raises(Refused, match="used before"):
        await tournaments.carry_out(
            tournament_id, Withdraw(player, scene.now), replace(key, sha256=bytes(32))
        )


async def test_the_entry_condition_is_asked_of_the_ledger_and_stands_in_the_fact(scene: Scene) -> None:
    """Once, for the week of the registration; who has too few is told how many it takes."""
    tournament_id = await scene.scheduled(CHAMPIONS)
    scene.move_to(BEGIN - timedelta(hours=2))
    rich, poor = uuid4(), uuid4()
    scene.weekly |= {rich: 250, poor: 199}
    carried = await scene.give(tournament_id, Register(rich, scene.now))
    with pytest.raises(Refused) as told:
        await scene.give(tournament_id, Register(poor, scene.now))

    assert [event.prize_points for event in carried.events] == [250]  # type: ignore[union-attr]
    assert dict(told.value.metadata) == {"points": "199", "min": "200"}
    assert [(player, week.monday) for player, week in scene.asked] == [
        (rich, date(2026, 3, 2)),
        (poor, date(2026, 3, 2)),
    ]


async def test_a_step_that_is_undone_is_taken_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts, row and timer are in together or not at all."""
    tournament_id = await scene.begun(4)
    before, row = await scene.facts(tournament_id), await scene.row(tournament_id)
    scene.move_to(BEGIN + SMALL.duration)
    monkeypatch.setattr(faults, "_FAULTS", faults.Faults("tournament.append_sent:raise"))
    with pytest.raises(faults.Fault):
        await scene.parts.tournaments.settle(tournament_id, scene.now)

    assert await scene.facts(tournament_id) == before
    assert await scene.row(tournament_id) == row
    assert await scene.timers(tournament_id) == [BEGIN + SMALL.duration]
    await scene.parts.tournaments.settle(tournament_id, scene.now)
    assert (await scene.row(tournament_id)).status is Status.COUNTING


async def test_series_schedule_ahead_once_whoever_looks(database_url: str) -> None:
    """Two replicas at once, again and again; nothing after a stop."""
    async with scene_on(database_url) as scene:
        rule = CalendarRule(date(2026, 3, 1), time(20), "FREQ=DAILY")
        series = Series(uuid7(scene.now, bytes(RANDOM_BYTES)), rule, SMALL)
        await scene.parts.series.carry_out(series.series_id, CreateSeries(series, scene.now), request())
        listed = await scene.listed()

        assert len(listed) == 14
        assert {each.series_id for each in listed} == {series.series_id}
        assert listed[0].starts_at.isoformat() == "2026-03-02T18:00:00+00:00"
        replicas = [scene.parts, scene.replica()]
        assert [await parts.series.step() for parts in replicas] == [0, 0]
        scene.move_to(scene.now + timedelta(days=3))
        new = await asyncio.gather(*(parts.series.step() for parts in replicas))
        assert sum(new) == 3
        assert len(await scene.listed()) == 17

        await scene.parts.series.carry_out(series.series_id, StopSeries(scene.now), request())
        scene.move_to(scene.now + timedelta(days=3))
        assert [await parts.series.step() for parts in replicas] == [0, 0]


async def test_a_series_that_fails_does_not_keep_the_others_from_being_scheduled(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one asked for raises each time; the one after it has its tournaments all the same."""
    async with scene_on(database_url) as scene:
        rule = CalendarRule(date(2026, 3, 1), time(20), "FREQ=DAILY")
        first, second = (Series(UUID(int=number), rule, SMALL) for number in (1, 2))
        for series in (first, second):
            await scene.parts.series.carry_out(series.series_id, CreateSeries(series, scene.now), request())

        def failing(state: SeriesState, now: datetime) -> tuple[Plan, ...]:
            assert isinstance(state, Going)
            if state.series == first:
                raise ValueError("no plans")
            return plans_ahead(state, now)

        monkeypatch.setattr(series_module, "plans_ahead", failing)
        scene.move_to(scene.now + timedelta(days=2))

        assert await scene.parts.series.step() == 2
        assert sum(each.series_id == second.series_id for each in await scene.listed()) == 16


async def test_what_is_not_there_is_not_found(scene: Scene) -> None:
    """Tournaments and series."""
    with pytest.raises(Refused, match="no such tournament"):
        await scene.parts.tournaments.present(uuid4())
    with pytest.raises(Refused, match="no such series"):
        await scene.parts.series.carry_out(uuid4(), StopSeries(scene.now), request())
