"""Boards built anew from the log are those that followed it live, and take their place while all goes on."""

from __future__ import annotations

from random import Random

import asyncpg
import pytest

from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild, Rebuilt
from services.ledger.wire import encode
from tests.support.ledger_bench import EPOCH, LedgerBench
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
