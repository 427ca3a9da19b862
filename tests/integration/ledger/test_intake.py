"""Match facts become transfers: through NATS and the real loops, and through what a handler may meet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from libs.bus.memory import MemoryBus
from libs.bus.nats import NatsBus
from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part
from libs.eventstore import faults
from libs.eventstore.checkpoint import claim
from libs.eventstore.consumer import Consumer
from libs.eventstore.faults import Fault, Faults
from libs.eventstore.loops import consumer_loop, event_core_loops
from libs.eventstore.port import Appended, Fenced, Request, StreamAppend
from libs.eventstore.position import LocalFeedReader
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.sequencer import Sequencer
from libs.eventstore.wake import Wake
from libs.pb.sparrow.match.v1 import match_event_pb2
from services.ledger.domain.windows import Board
from services.ledger.policies import DECLARED, INTAKE, ResultFacts, match_facts
from services.ledger.wire.match_facts import ATTEMPT_CLEARED, QUICK_MATCH_ENDED
from tests.support.ledger_bench import EPOCH, LedgerBench

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE = "local/match"


@pytest.fixture
async def match(database_url: str) -> AsyncIterator[Database]:
    """The schema of the match service in the same database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


def cleared(account: str, level: int, first: int, bonus: int, at: datetime = NOON) -> NewEvent:
    """Return a cleared attempt."""
    message = match_event_pb2.AttemptCleared(
        account_id=account, level=level, first_completion_points=first, time_bonus_points=bonus
    )
    return NewEvent(Part.FACTS, ATTEMPT_CLEARED, 1, at, message.SerializeToString())


def ended(
    one: str, one_points: int, other: str, other_points: int, *, match_id: str | None = None
) -> NewEvent:
    """Return the end of a quick match of two."""
    seat = match_event_pb2.QuickMatchEnded.Seat
    message = match_event_pb2.QuickMatchEnded(
        match_id=match_id or str(uuid4()),
        seats=[seat(account_id=one, points=one_points), seat(account_id=other, points=other_points)],
    )
    return NewEvent(Part.FACTS, QUICK_MATCH_ENDED, 1, NOON, message.SerializeToString())


async def record(match: Database, *events: NewEvent) -> list[FeedEntry]:
    """Store facts of the match service, each in a stream of its own, and return its feed."""
    for event in events:
        append = StreamAppend(uuid4(), 0, (event,))
        stored = await match.store.append([append], recorded_at=NOON, caller=uuid4())
        assert isinstance(stored, Appended)
    await Sequencer(match, Part.FACTS).step(EPOCH)
    return await match.feed.read(Part.FACTS, 1)


async def intake(bench: LedgerBench) -> ResultFacts:
    """Return the handler with the checkpoint claimed."""
    async with bench.database.engine.begin() as connection:
        await claim(connection, INTAKE, EPOCH)
    return match_facts(bench.journal, bench.clock, Wake(MemoryBus(), "ledger"), SOURCE)


async def test_a_cleared_level_pays_first_completion_and_time_bonus(
    bench: LedgerBench, match: Database
) -> None:
    """10 and 10, 0 and 5, nothing: keys, reasons and causes as promised; the facts again change nothing."""
    ana = str(uuid4())
    entries = await record(match, cleared(ana, 7, 10, 10), cleared(ana, 7, 0, 5), cleared(ana, 7, 0, 0))
    handler = await intake(bench)
    await handler.handle(entries, EPOCH)
    await bench.settle()

    kept = [row.transfer for _, row in await bench.journal.page(f"players/{ana}", below=1 << 62, limit=9)]
    assert [(row.key, row.amount, row.reason) for row in sorted(kept, key=lambda row: row.key)] == [
        (f"level/7/first/{ana}", 10, "LEVEL_FIRST"),
        (f"level/7/time/10/{ana}", 10, "LEVEL_TIME"),
        (f"level/7/time/5/{ana}", 5, "LEVEL_TIME"),
    ]
    assert {row.debit for row in kept} == {"house/points"}
    assert {row.cause for row in kept} == {f"{SOURCE}:{entry.event.id}" for entry in entries[:2]}
    assert [entry.points for entry in await bench.shown(Board.AMR)] == [25]

    async with bench.database.engine.begin() as connection:
        await connection.execute(text("UPDATE checkpoint SET seq = 0 WHERE name = :name"), {"name": INTAKE})
    await handler.handle(entries, EPOCH)
    assert await bench.count("SELECT count(*) FROM transfer") == 3


async def test_what_makes_no_sense_is_parked_and_the_rest_goes_on(
    bench: LedgerBench, match: Database
) -> None:
    """A bad account, negative points, an old instant, the same key with other points: parked with reasons."""
    ana = str(uuid4())
    entries = await record(
        match,
        cleared("nobody", 1, 10, 0),
        cleared(ana, 1, -10, 0),
        cleared(ana, 1, 10, 10, at=NOON - timedelta(hours=25)),
        cleared(ana, 1, 10, 0),
        cleared(ana, 1, 20, 0),
        NewEvent(Part.FACTS, ATTEMPT_CLEARED, 1, NOON, b"\xff\xff"),
        cleared(ana, 2, 10, 0),
    )
    await (await intake(bench)).handle(entries, EPOCH)

    assert await bench.count("SELECT count(*) FROM transfer") == 2
    async with bench.database.engine.connect() as connection:
        parked = (await connection.execute(text("SELECT seq, reason FROM parked ORDER BY seq"))).all()
    assert [(row.seq, row.reason.split(":")[0]) for row in parked] == [
        (1, "MALFORMED"),
        (2, "MALFORMED"),
        (3, "OCCURRED_OUT_OF_RANGE"),
        (5, "KEY_REUSED"),
        (6, "MALFORMED"),
    ]
    assert await bench.count(f"SELECT seq FROM checkpoint WHERE name = '{INTAKE}'") == len(entries)


async def test_a_quick_match_pays_its_winner_once(bench: LedgerBench, match: Database) -> None:
    """20 for the winner; a tie pays nobody; an impossible result is parked; a voided one is left alone."""
    ana, bob, voided = str(uuid4()), str(uuid4()), str(uuid4())
    entries = await record(
        match, ended(ana, 20, bob, 0), ended(ana, 0, bob, 0), ended(ana, 20, bob, 15), ended(bob, 15, ana, 0)
    )
    late = await record(match, ended(ana, 20, bob, 0, match_id=voided))
    request = Request(uuid4(), "void", bytes(32))
    key = f"match/{voided}/quick/{ana}"
    await bench.journal.cancel_command(key, now=NOON, request=request)
    handler = await intake(bench)
    await handler.handle(entries, EPOCH)
    await handler.handle(late[len(entries) :], EPOCH)
    await bench.settle()

    points = {entry.account: entry.points for entry in await bench.shown(Board.AMR)}
    assert points == {ana: 20, bob: 15}
    async with bench.database.engine.connect() as connection:
        parked = (await connection.execute(text("SELECT seq, reason FROM parked"))).all()
    assert [(row.seq, row.reason.split(":")[0]) for row in parked] == [(3, "MALFORMED")]


@pytest.mark.parametrize("point", ["ledger.rows_in", "ledger.commit_sent", "ledger.committed"])
async def test_effect_and_checkpoint_of_an_intake_are_one(
    bench: LedgerBench, match: Database, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenario E13: whatever breaks around the commit, going on from the checkpoint posts each fact once."""
    entries = await record(match, *(cleared(str(uuid4()), 1, 10, 0) for _ in range(10)))
    handler = await intake(bench)
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise"))
    with pytest.raises(Fault):
        await handler.handle(entries, EPOCH)
    done = await bench.count(f"SELECT seq FROM checkpoint WHERE name = '{INTAKE}'")
    if rest := entries[done:]:
        await handler.handle(rest, EPOCH)

    assert done == (10 if point == "ledger.committed" else 0)
    assert await bench.count("SELECT count(*) FROM transfer") == 10
    assert await bench.count("SELECT count(*) FROM event") == 10


async def test_a_fenced_intake_posts_nothing(bench: LedgerBench, match: Database) -> None:
    """Once a later epoch has claimed the checkpoint, the earlier one's batch is undone as a whole."""
    entries = await record(match, cleared(str(uuid4()), 1, 10, 0))
    handler = await intake(bench)
    async with bench.database.engine.begin() as connection:
        await claim(connection, INTAKE, EPOCH + 1)
    with pytest.raises(Fenced):
        await handler.handle(entries, EPOCH)

    assert await bench.count("SELECT count(*) FROM transfer") == 0


async def test_results_reach_the_boards_over_nats(bench: LedgerBench, match: Database, nats_url: str) -> None:
    """Match facts, sequenced, relayed, consumed and folded by the real loops: each is counted once."""
    bus = await NatsBus.connect(nats_url)
    wake = Wake(bus, "ledger")
    consumer = Consumer(
        bus,
        LocalFeedReader(match.feed),
        StoredCheckpoint(bench.database, INTAKE),
        name=f"{INTAKE}-{uuid4().hex[:8]}",
        source=SOURCE,
        part=Part.FACTS,
        declared=DECLARED,
        handle=match_facts(bench.journal, bench.clock, wake, SOURCE).handle,
    )
    stop = asyncio.Event()
    loops = [
        *event_core_loops(match, bus, "match", "test", (Part.FACTS,)),
        consumer_loop(bench.database, "test", consumer),
    ]
    tasks = [asyncio.ensure_future(run(stop)) for _, run in loops]
    try:
        players = [UUID(int=number) for number in range(1, 21)]
        for player in players:
            stream = StreamAppend(uuid4(), 0, (cleared(str(player), 3, 10, 5),))
            await match.store.append([stream], recorded_at=NOON, caller=player)
            await Wake(bus, "match").nudge()
        async with asyncio.timeout(20):
            while await bench.count("SELECT count(*) FROM transfer") < 40:  # noqa: ASYNC110 a row sets no event
                await asyncio.sleep(0.05)
    finally:
        stop.set()
        await asyncio.gather(*tasks)
        await bus.close()
    await bench.settle()

    assert [entry.points for entry in await bench.shown(Board.DAILY)] == [15] * 20
    await bench.check_tables()
