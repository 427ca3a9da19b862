"""The boards beside writers: whatever commits late, out of order or from elsewhere is projected once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.port import Request, Transaction
from services.ledger.domain.doubling import Free
from services.ledger.domain.journal import Outcome
from services.ledger.domain.windows import Board
from services.ledger.policies import CALLER
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.tables import BoardTables
from services.ledger.store.bonuses import Bonuses, Paid
from tests.support.ledger_bench import LedgerBench, ledger_bench, points_order

WRITERS, EACH = 64, 4


async def test_a_transfer_whose_transaction_commits_late_is_projected_after_those_that_overtook_it(
    bench: LedgerBench,
) -> None:
    """Scenarios O26 and E1: held open with an earlier place, committed once the boards went past it."""
    await bench.settle()
    entered, released = asyncio.Event(), asyncio.Event()
    now = bench.clock.now()

    async def hold(_transaction: Transaction, _outcomes: Sequence[Outcome]) -> None:
        entered.set()
        await released.wait()

    order = points_order(UUID(int=1), 20, now)
    late = asyncio.ensure_future(bench.journal.post([order], now=now, caller=CALLER, beside=hold))
    await entered.wait()
    for _ in range(3):
        await bench.post(points_order(UUID(int=2), 5, now))
    await bench.settle()
    meanwhile = [entry.points for entry in await bench.shown(Board.AMR)]
    released.set()
    await late
    await bench.settle()

    assert meanwhile == [15]
    assert [entry.points for entry in await bench.shown(Board.AMR)] == [20, 15]
    await bench.check_tables()


async def test_64_writers_of_two_processes_are_all_projected_by_a_reader_that_runs_beside(
    bench: LedgerBench, database_url: str
) -> None:
    """Scenarios E4, E6 and E10: under locks of different keys; committed = sequenced = projected."""
    chance = random.Random(336)
    async with ledger_bench(database_url, bench.clock.now()) as other:

        async def write(number: int) -> int:
            ledger = (bench, other)[number % 2]
            bonuses = Bonuses(ledger.database.store, Free())
            committed = 0
            for _ in range(EACH):
                await asyncio.sleep(chance.random() * 0.02)
                now = ledger.clock.now()
                if number % 4 == 0:  # under an advisory lock of its own, and in a row of its own
                    request = Request(uuid4(), str(uuid4()), bytes(32))
                    paid = await bonuses.claim(uuid4(), now=now, request=request)
                    assert isinstance(paid, Paid)
                    committed += len(paid.transfers)
                else:
                    committed += len(await ledger.post(points_order(UUID(int=number % 7), 5, now)))
            return committed

        writers = asyncio.gather(*map(write, range(WRITERS)))
        folded = 0
        while not writers.done():
            folded += await bench.settle()
        committed = sum(await writers)
        folded += await bench.settle()
    entries = await bench.database.feed.read(Part.FACTS, 1)

    assert committed == WRITERS * EACH
    assert len(entries) == folded == committed + 1  # and the day that was closed to open the boards
    assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)
    await bench.check_tables()


async def test_one_fact_reaches_every_consumer_once_by_the_name_of_its_checkpoint(bench: LedgerBench) -> None:
    """Scenario E17: a second generation of boards folds the same facts; neither hides one from the other."""
    async with bench.database.engine.begin() as connection:
        await connection.exec_driver_sql("SELECT create_board_generation(3)")
    second = _projector(bench)
    await bench.settle()
    for number in range(20):
        await bench.post(points_order(UUID(int=number % 3), 5, bench.clock.now()))
    await bench.settle()
    bench.clock.advance(timedelta(days=1))
    await bench.settle()
    await second.claim(1)
    while await second.step(1):
        pass
    rows = [
        await bench.count(f"SELECT count(*) FROM (TABLE board_row_g{one} EXCEPT TABLE board_row_g{two}) AS d")
        for one, two in ((2, 3), (3, 2))
    ]
    digests = await bench.database.pool.fetch("SELECT digest FROM board_state ORDER BY generation")

    assert rows == [0, 0]
    assert len({row["digest"] for row in digests}) == 1


def _projector(bench: LedgerBench) -> BoardProjector:
    return BoardProjector(bench.database, BoardTables(3), bench.clock.now)
