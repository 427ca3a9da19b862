"""Boards built anew from the log are those that followed it live, and take their place while all goes on."""

from __future__ import annotations

from random import Random
from uuid import UUID

import asyncpg
import pytest

from services.ledger.domain.windows import Board
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.reads import ListingGoneError
from services.ledger.projections.rebuilding import rebuild as rebuild_module
from services.ledger.projections.rebuilding.independent import Folded
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import LOCK, Rebuild, RebuildError, Rebuilt
from services.ledger.projections.tables import BoardTables
from services.ledger.wire.events import encode
from tests.support.ledger_bench import EPOCH, LedgerBench, points_order
from tests.support.ledger_feeds import occurred_at, random_feed

TABLES = {
    "row": "board, day, account, points",
    "count": "board, day, coarse, bucket, players",
    "entry": "account, family, day, seq, points, occurred_at",
    "history": "closed_day, board, seq, points, players",
}
INDEXES = """
    SELECT count(*) FROM pg_index i
    WHERE i.indrelid::regclass::text LIKE 'board\\_%\\_g' || $1::text
"""


async def rebuilt(database_url: str) -> Rebuilt:
    """Rebuild the boards."""
    return await Rebuild(database_url, Progress()).run()


async def differences(database_url: str, old: int, new: int) -> dict[str, int]:
    """Return how many rows of each table stand in one generation only."""
    connection = await asyncpg.connect(database_url, server_settings={"search_path": "ledger"})
    try:
        return {
            table: await connection.fetchval(
                f"SELECT count(*) FROM (SELECT {columns}, count(*) FROM ("
                f"SELECT {columns} FROM board_{table}_g{old} UNION ALL"
                f" SELECT {columns} FROM board_{table}_g{new}"
                f") AS both_of_them GROUP BY {columns} HAVING count(*) <> 2) AS lonely"
            )
            for table, columns in TABLES.items()
        }
    finally:
        await connection.close()


@pytest.mark.parametrize("seed", range(4))
async def test_rebuilt_boards_are_those_that_followed_live(
    seed: int, bench: LedgerBench, database_url: str
) -> None:
    """Byte by byte, for any log: all families, late days, reversals, midnights, refused facts."""
    facts = random_feed(Random(seed), 400)
    await bench.log_events(*(encode(fact, occurred_at(fact)) for fact in facts))
    while await bench.sequencer.step(EPOCH):
        pass
    await bench.projector.claim(EPOCH)
    while await bench.projector.step(EPOCH):
        pass

    done = await rebuilt(database_url)

    assert (done.switched, done.faults.count, done.seq) == (True, 0, len(facts))
    assert done.digest == done.stored_digest == (await bench.twin()).digest
    assert await differences(database_url, 2, done.generation) == dict.fromkeys(TABLES, 0)
    same = "SELECT count(DISTINCT (as_of_day, digest)) FROM board_state"
    assert await bench.count(same) == 1
    parked = "SELECT count(*) FROM parked WHERE consumer = 'boards_g{}'"
    assert await bench.count(parked.format(2)) == await bench.count(parked.format(done.generation))
    indexed = INDEXES.replace("$1::text", "{}")
    assert await bench.count(indexed.format(2)) == await bench.count(indexed.format(done.generation)) == 8


async def post_results(bench: LedgerBench, count: int = 12) -> None:
    """Post results of a few players."""
    now = bench.clock.now()
    await bench.post(*(points_order(UUID(int=1 + number % 5), 5 + number, now) for number in range(count)))


async def test_one_rebuild_at_a_time(bench: LedgerBench, database_url: str) -> None:
    """Another one is refused while the first one's session lives."""
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval(LOCK)
    with pytest.raises(RebuildError, match="another rebuild"):
        await rebuilt(database_url)
    await connection.close()

    assert await bench.count("SELECT count(*) FROM board_state") == 1
    assert (await rebuilt(database_url)).switched


async def test_boards_that_are_far_behind_are_replaced_once_a_second_fold_agrees(
    bench: LedgerBench, database_url: str
) -> None:
    """They cannot be compared at one place, which is told."""
    await post_results(bench)
    await bench.settle()
    await post_results(bench)
    await bench.sequencer.step(EPOCH)

    done = await Rebuild(database_url, Progress(), patience_s=0).run()

    assert done.switched
    assert [(fault.kind, fault.stored, fault.expected) for fault in done.faults.named] == [
        ("place", "13", "25")
    ]
    assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)


async def test_boards_that_a_second_fold_does_not_confirm_are_not_switched_to(
    bench: LedgerBench, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where they differ from the live ones as well: then nobody knows which are right."""
    await post_results(bench)
    await bench.settle()
    await bench.database.pool.execute("UPDATE board_row_g2 SET points = points + 1 WHERE board = 1")

    async def another(*_: object) -> Folded:
        return Folded(None, 0, 7, ())

    monkeypatch.setattr(rebuild_module, "fold_log", another)
    with pytest.raises(RebuildError, match="independent fold"):
        await rebuilt(database_url)

    assert await bench.count("SELECT generation FROM active_generation") == 2


async def test_pages_of_a_listing_go_on_over_a_rebuild(bench: LedgerBench, database_url: str) -> None:
    """As the board was when it began, though results have come since; the next rebuild ends it."""
    await post_results(bench)
    await bench.settle()
    page = await bench.reader.first_page(Board.AMR, 2)
    before = await bench.shown(Board.AMR)
    await rebuilt(database_url)
    bench.projector = BoardProjector(bench.database, BoardTables(3), bench.clock.now)
    await post_results(bench)
    await bench.settle()

    assert page.last is not None
    rest = await bench.reader.next_page(Board.AMR, page.listing, page.last, 10)
    assert [*page.entries, *rest.entries] == before
    await rebuilt(database_url)
    with pytest.raises(ListingGoneError):
        await bench.reader.next_page(Board.AMR, page.listing, page.last, 10)
