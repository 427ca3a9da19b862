"""Table points of MCR: from the ends of deals to boards whose points are mostly below zero."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from uuid import UUID, uuid4

import asyncpg
import pytest
from sqlalchemy import text

from libs.bus.memory import MemoryBus
from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part
from libs.eventstore.checkpoint import claim
from libs.eventstore.port import Appended, StreamAppend
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from libs.eventstore.wake import Wake
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1.table_event_pb2 import DealFinished
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import WINDOWED, Board, Family
from services.ledger.policies import TABLE_INTAKE, ResultFacts, table_facts
from services.ledger.wire.table_facts import DEAL_FINISHED
from tests.support.ledger_bench import EPOCH, LedgerBench, points_order

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE = "local/mcr"


@pytest.fixture
async def mcr(database_url: str) -> AsyncIterator[Database]:
    """The schema of the MCR service in the same database."""
    opened = await Database.open(database_url, "mcr")
    yield opened
    await opened.close()


def finished(accounts: Sequence[str], *payments: int) -> NewEvent:
    """The end of a deal that somebody won."""
    outcome = deal_pb2.DealOutcome(won=deal_pb2.DealWon(payments=payments))
    message = DealFinished(deal_id=str(uuid4()), accounts=accounts, outcome=outcome)
    return NewEvent(Part.FACTS, DEAL_FINISHED, 1, NOON, message.SerializeToString())


async def record(mcr: Database, *events: NewEvent) -> list[FeedEntry]:
    """Store ends of deals, each of a table of its own, and return the feed."""
    for event in events:
        append = StreamAppend(uuid4(), 0, (event,))
        assert isinstance(await mcr.store.append([append], recorded_at=NOON, caller=uuid4()), Appended)
    await Sequencer(mcr, Part.FACTS).step(EPOCH)
    return await mcr.feed.read(Part.FACTS, 1)


async def intake(bench: LedgerBench) -> ResultFacts:
    """Return the handler with the checkpoint claimed."""
    async with bench.database.engine.begin() as connection:
        await claim(connection, TABLE_INTAKE, EPOCH)
    return table_facts(bench.journal, bench.clock, Wake(MemoryBus(), "ledger"), SOURCE)


def rows(entries: Sequence[Entry]) -> list[tuple[int, str, int]]:
    """Rows as plain tuples."""
    return [(entry.rank, entry.account, entry.points) for entry in entries]


async def test_points_stand_on_the_board_of_who_sat_at_the_table(bench: LedgerBench, mcr: Database) -> None:
    """Two persons: theirs; one: that against the AI; no account points. Told again, they change nothing."""
    ana, bob = (str(UUID(int=number)) for number in (1, 2))
    entries = await record(
        mcr,
        finished((ana, bob, "", ""), -24, 40, -8, -8),
        finished(("", "", "", ana), -8, -8, -18, 34),
        finished((ana, "", "", ""), -16, 48, -16, -16),
        finished(("", "", "", ""), 24, -8, -8, -8),
        finished((ana, ana, "", ""), 24, -8, -8, -8),
    )
    handler = await intake(bench)
    await handler.handle(entries, EPOCH)
    await bench.settle()

    for board in WINDOWED[Family.MCR]:
        assert rows(await bench.shown(board)) == [(1, bob, 40), (2, ana, -24)]
    for board in WINDOWED[Family.MCR_AI]:
        assert rows(await bench.shown(board)) == [(1, ana, 18)]
    for board in WINDOWED[Family.POINTS]:
        assert await bench.shown(board) == []
    async with bench.database.engine.begin() as connection:
        parked = (await connection.execute(text("SELECT seq, reason FROM parked"))).all()
        await connection.execute(text(f"UPDATE checkpoint SET seq = 0 WHERE name = '{TABLE_INTAKE}'"))
    assert [(row.seq, row.reason.split(":")[0]) for row in parked] == [(5, "MALFORMED")]
    await handler.handle(entries[:4], EPOCH)
    assert await bench.count("SELECT count(*) FROM transfer") == 4
    await bench.check_tables()


def ranked(sums: dict[UUID, int]) -> list[tuple[int, str, int]]:
    """The definition: as many as have more stand before one, and equals by their accounts."""
    listed = sorted((-points, str(account)) for account, points in sums.items())
    return [(1 + sum(held < own for held, _ in listed), account, -own) for own, account in listed]


@pytest.mark.parametrize("family", [Family.MCR, Family.MCR_AI])
async def test_boards_below_zero_are_ranked_listed_and_paged_like_any_other(
    bench: LedgerBench, family: Family
) -> None:
    """Falling through zero, ties by account, 0 unlisted; each page, the page around each player, each rank.

    Points lie on both sides of the histogram's coarse steps at -512, -256, 0 and 256.
    """
    chance = random.Random(61)
    accounts = [UUID(int=chance.getrandbits(128)) for _ in range(60)]
    points = (-600, -513, -512, -257, -256, -255, -8, -8, -1, 1, 255, 256, 300)
    sums = {account: chance.choice(points) for account in accounts}
    reason = "MCR" if family is Family.MCR else "MCR_AI"
    orders = [points_order(account, held, NOON, reason=reason) for account, held in sums.items()]
    evened = [points_order(UUID(int=7), each, NOON, reason=reason) for each in (-24, 16, 8)]
    await bench.post(*orders, *evened)
    await bench.settle()
    expected = ranked(sums)

    for board in WINDOWED[family]:
        assert rows(await bench.shown(board)) == expected
    board = WINDOWED[family].year
    place = list(Board).index(board)
    for index, (rank, account, held) in enumerate(expected):
        page = await bench.reader.first_page(board, 5, account)
        first = min(max(0, index - 2), len(expected) - 5)
        assert rows(page.entries) == expected[first : first + 5]
        entry = (await bench.reader.standings(account)).rows[place].entry
        assert entry is not None
        assert (entry.rank, entry.points) == (rank, held)
    assert (await bench.reader.standings(str(UUID(int=7)))).rows[place].entry is None
    await bench.check_tables()


async def test_a_loss_leaves_the_year_with_its_day(bench: LedgerBench) -> None:
    """After 365 days a row goes up by what was lost, and one that had nothing else is gone."""
    ana, bob = UUID(int=1), UUID(int=2)
    await bench.settle()
    await bench.post(*(points_order(each, -24, NOON, reason="MCR_AI") for each in (ana, bob)))
    await bench.settle()
    bench.clock.advance(timedelta(days=364))
    await bench.post(points_order(bob, 40, bench.clock.now(), reason="MCR_AI"))
    await bench.settle()
    assert rows(await bench.shown(Board.MCR_AI_YEAR)) == [(1, str(bob), 16), (2, str(ana), -24)]
    bench.clock.advance(timedelta(days=1))
    await bench.settle()

    assert rows(await bench.shown(Board.MCR_AI_YEAR)) == [(1, str(bob), 40)]
    await bench.check_tables()


async def test_days_that_ended_before_the_boards_were_there_listed_nobody(
    bench: LedgerBench, database_url: str
) -> None:
    """The migration on a ledger with a past: its histories are those that a rebuild makes."""
    await bench.settle()
    for _ in range(3):
        await bench.post(points_order(UUID(int=1), 20, bench.clock.now()))
        bench.clock.advance(timedelta(days=1))
        await bench.settle()
    connection = await asyncpg.connect(database_url, server_settings={"search_path": "ledger"})
    try:
        await connection.execute("DELETE FROM board_history_g2 WHERE board > 7")
        version = "libs.eventstore.migrations.versions.ledger.0011_table_points_against_the_ai"
        await connection.execute(import_module(version).HISTORIES)
    finally:
        await connection.close()

    await bench.check_tables()
