"""AI players at tables: in small pieces, after a pause where persons sit, once whoever drives."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.eventsourcing.ids import uuid7
from libs.eventstore.outage import Outages
from libs.eventstore.repository import Repository
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.runtime.threaded import ThreadedWork
from libs.telemetry.meter import NO_METER
from services.mcr.domain.deal import evolve as deal_evolution
from services.mcr.domain.deal.events import ClaimAnswered, DealEnded, Event, PlayBegan, TileDiscarded
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import Ai, AiLevel, By, Person
from services.mcr.domain.deal.verifying import differences
from services.mcr.domain.session import evolve as session_evolution
from services.mcr.domain.session.events import TableClosed
from services.mcr.domain.session.terms import Closing
from services.mcr.tables import play
from services.mcr.tables.begin import ALONE_TIMER, DEAL_TIMER, NewTable
from services.mcr.tables.driver import Driver
from services.mcr.tables.ending import DealEndings, TableRepository
from services.mcr.tables.figures import DealFigures
from services.mcr.tables.pace import pace_of
from services.mcr.tables.play import DEAL_KIND, DealRepository, Deals
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.mcr_hall import QUICK, TableHall, TablePlayer, id_of, tables_served

pytestmark = pytest.mark.timeout(120)
LEVELS = tuple(AiLevel)


def alone(hall: TableHall, level: AiLevel = AiLevel.EASY, deals: int = 1) -> NewTable:
    """A table of four AI players."""
    return NewTable(uuid7(hall.edge.clock.now(), secrets.token_bytes(10)), (Ai(level),) * 4, deals)


async def closed(hall: TableHall, table_id: UUID) -> TableClosed:
    """Wait until a table has closed; next to no time goes by."""
    async with asyncio.timeout(60):
        while True:
            last = (await hall.table_facts(table_id))[-1]
            if isinstance(last, TableClosed):
                return last
            hall.step(seconds=0.002)
            await asyncio.sleep(0.01)


def missed(facts: list[Event]) -> list[Event]:
    """What the rules did because time was up."""
    return [each for each in facts if isinstance(each, TileDiscarded | ClaimAnswered) and each.by is By.TIME]


async def test_tables_of_ai_alone_are_played_to_their_end_without_a_pause(database_url: str) -> None:
    """All levels, several deals, next to no time: nobody's runs out, and the rules verify every fact."""
    async with tables_served(database_url) as hall:
        tables = [alone(hall, level, deals=2) for level in LEVELS for _ in range(2)]
        await hall.seat(*tables)
        endings = [await closed(hall, table.table_id) for table in tables]
        facts = [
            await hall.deal_facts(deal_id) for table in tables for deal_id in await hall.deals(table.table_id)
        ]
    assert {ending.reason for ending in endings} == {Closing.PLAYED}
    assert len(facts) == 2 * len(tables)
    assert [missed(each) for each in facts] == [[]] * len(facts)
    assert [differences(each, rule_book) for each in facts[::3]] == [[]] * len(facts[::3])
    took = [told[-1].occurred_at - told[0].occurred_at for told in facts]
    assert max(took) < timedelta(seconds=2), "no discard is held, and nobody waits before acting"


async def test_a_process_that_ends_leaves_tables_to_the_next_one(database_url: str) -> None:
    """Timers stand in the database: the deals go on, and their facts are sound."""
    async with tables_served(database_url) as hall:
        tables = [alone(hall, deals=2) for _ in range(3)]
        await hall.seat(*tables)
        await asyncio.sleep(0.3)
        before = [len(await hall.deal_facts((await hall.deals(table.table_id))[0])) for table in tables]
    async with tables_served(database_url) as hall:
        for table in tables:
            await closed(hall, table.table_id)
        facts = [
            await hall.deal_facts(deal_id) for table in tables for deal_id in await hall.deals(table.table_id)
        ]
    assert sum(before) > 0
    assert [differences(each, rule_book) for each in facts[::3]] == [[]] * len(facts[::3])


async def test_an_ai_player_waits_a_moment_where_a_person_sits(database_url: str) -> None:
    """0.7 s for a turn; a discard is held for a second, in which the AI answers too."""
    async with tables_served(database_url) as hall:
        ana = TablePlayer(hall.edge)
        name = (await ana.open()).summary.name
        following = ana.follow(name)
        async with asyncio.timeout(60):
            while len(found := [each for each in await facts_of(hall, name) if is_acted(each)]) < 5:
                table = await ana.table(name)
                if table.deal.HasField("open_decision"):
                    await ana.act(name, table.deal, table.deal.open_decision.actions[-1])
                hall.step(seconds=0.1)
                await asyncio.sleep(0.03)
        following.cancel()
        facts = await facts_of(hall, name)
    assert found
    since = facts[0].occurred_at
    waited: list[timedelta] = []
    for fact in facts:
        if isinstance(fact, TileDiscarded) and fact.by is By.AI:
            waited.append(fact.occurred_at - since)
        if not isinstance(fact, ClaimAnswered):
            since = fact.occurred_at
    assert waited
    assert min(waited) >= timedelta(milliseconds=700)
    assert missed(facts) == []


def is_acted(fact: Event) -> bool:
    """Whether a seat discarded."""
    return isinstance(fact, TileDiscarded)


async def facts_of(hall: TableHall, name: str) -> list[Event]:
    """What happened in the last deal of a table."""
    return await hall.deal_facts((await hall.deals(id_of(name)))[-1])


async def test_rules_that_raise_end_their_own_table_and_no_other(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a fact, without points, without a word of any tile; another table goes on."""
    async with tables_served(database_url, **QUICK) as hall:
        ana, ben = TablePlayer(hall.edge), TablePlayer(hall.edge)
        name, other = (await ana.open(4)).summary.name, (await ben.open()).summary.name

        def broken(*_asked: object) -> Any:
            raise ZeroDivisionError("5m 5m 5m")

        with monkeypatch.context() as patched:
            patched.setattr(play, "rule_book", broken)
            hall.step(seconds=0.5)
            ended = await ana.table(name)
            again = await ana.table(name)
        played = await hall.play_out(other, ben)
    assert ended.deal.outcome.aborted.fault == "ZeroDivisionError"
    assert ended.summary.closing == deal_pb2.TABLE_CLOSING_ABORTED
    assert [seat.points for seat in ended.summary.seats] == [0, 0, 0, 0]
    assert ended == again
    assert b"5m" not in ended.SerializeToString()
    assert played.summary.closing in {deal_pb2.TABLE_CLOSING_PLAYED, deal_pb2.TABLE_CLOSING_ABORTED}


@pytest.mark.parametrize("kind", [ALONE_TIMER, DEAL_TIMER])
async def test_two_drivers_at_one_deal_act_once(database_url: str, kind: str) -> None:
    """Each looks at the deal as it finds it; what both do is done once, and the deal comes to its end."""
    async with tables_served(database_url, work=(), **QUICK) as hall:
        person = Person(UUID(int=7)) if kind == DEAL_TIMER else Ai()
        table = NewTable(uuid7(hall.edge.clock.now(), bytes(10)), (person, Ai(), Ai(), Ai()))
        await hall.seat(table)
        (deal_id,) = await hall.deals(table.table_id)
        if kind == DEAL_TIMER:
            await TablePlayer(hall.edge, UUID(int=7)).leave(f"tables/{table.table_id}")
        hall.step(seconds=0.5)
        work = ThreadedWork(4)
        drivers = [another_driver(hall, work) for _ in range(2)]
        due = hall.edge.clock.now()
        for _ in range(400):
            await asyncio.gather(*(driver.fire(deal_id, kind, due) for driver in drivers))
            if isinstance((await hall.deal_facts(deal_id))[-2], DealEnded):
                break
        await work.close()
        facts = await hall.deal_facts(deal_id)
    assert differences(facts, rule_book) == []
    assert Counter(type(each) for each in facts)[DealEnded] == 1
    assert Counter(type(each) for each in facts)[PlayBegan] == 1


def another_driver(hall: TableHall, work: ThreadedWork) -> Driver:
    """A driver as another process has one: it knows only what is stored."""
    runtime, store = hall.edge.runtime, hall.database.store
    pace, clock, figures = pace_of(hall.edge.settings), runtime.clock, DealFigures(NO_METER)
    sessions: TableRepository = Repository(session_evolution, TableCodec(), store)
    repository: DealRepository = Repository(deal_evolution, DealCodec(), store)
    endings = DealEndings(sessions, hall.beginnings, clock)
    hub = WatchHub(DEAL_KIND, DealCodec(), store, runtime.bus, clock)
    outages, wake = Outages(hall.database, beats=False), Wake(runtime.bus, "mcr")
    deals = Deals(repository, endings, outages, pace, clock, wake, hub, figures)
    return Driver(deals, work.run, pace, clock, figures)
