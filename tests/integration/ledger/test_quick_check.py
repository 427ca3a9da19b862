"""Stretches of a sound log are right at once, and none with anything wrong in it is."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from libs.eventstore.port import Request
from services.ledger.projections.rebuilding.log_reader import connect
from services.ledger.projections.rebuilding.quick_check import QuickCheck
from tests.support.ledger_bench import LedgerBench, points_order

OF_THIRD = "(stream_id, version) IN (SELECT stream_id, version FROM feed WHERE part = 1 AND seq = 3)"
DAMAGE = {
    "type": f"UPDATE event SET type = type || 'x' WHERE {OF_THIRD}",
    "schema version": f"UPDATE event SET schema_version = 2 WHERE {OF_THIRD}",
    "instant": f"UPDATE event SET occurred_at = occurred_at + interval '1 microsecond' WHERE {OF_THIRD}",
    "recorded": f"UPDATE event SET recorded_at = recorded_at + interval '1 microsecond' WHERE {OF_THIRD}",
    "caller": f"UPDATE event SET caller = '{UUID(int=5)}' WHERE {OF_THIRD}",
    "request": f"UPDATE event SET request_id = 'r', request_events = 1, request_sha256 = '' WHERE {OF_THIRD}",
    "data": f"UPDATE event SET data = data || '\\x0a00' WHERE {OF_THIRD}",
    "place in time": "UPDATE feed SET at = at + interval '1 second' WHERE part = 1 AND seq = 3",
    "chain": "UPDATE feed SET chain = sha256(chain) WHERE part = 1 AND seq = 3",
    "gap": "DELETE FROM feed WHERE part = 1 AND seq = 3",
    "journal": "UPDATE transfer SET cause = 'elsewhere' WHERE key = 'match/1/quick'",
    "journal's instant": "UPDATE transfer SET posted_at = now() WHERE key = 'match/1/quick'",
    "journal's row": "DELETE FROM transfer WHERE key = 'match/1/quick'",
    "tombstone": "DELETE FROM transfer WHERE key = 'match/void'",
}


async def a_log(bench: LedgerBench) -> int:
    """Post results, cancel a key that nothing was posted under; return how many events there are."""
    now = bench.clock.now()
    orders = [points_order(UUID(int=1 + number), 5, now, key=f"match/{number}/quick") for number in range(9)]
    await bench.post(*orders)
    request = Request(uuid4(), "void", bytes(32))
    await bench.journal.cancel_command("match/void", now=now, request=request)
    await bench.settle()
    return await bench.count("SELECT count(*) FROM feed WHERE part = 1")


async def test_any_stretch_of_a_sound_log_is_right_at_once(bench: LedgerBench, database_url: str) -> None:
    """Also one that begins in the middle; its transfers are counted, a tombstone too."""
    last = await a_log(bench)
    connection = await connect(database_url)
    quick = QuickCheck(connection, connection)

    whole = await quick.check(await quick.read(1, last), last)
    end = await quick.check(await quick.read(4, last), last - 3)
    beyond = await quick.check(await quick.read(4, last + 1), last - 2)
    head: bytes = await connection.fetchval("SELECT chain FROM feed_head WHERE part = 1")
    await connection.close()

    assert whole is not None and end is not None and beyond is None
    assert (whole.transfers, whole.chain, end.chain) == (10, head, head)


@pytest.mark.parametrize("what", DAMAGE)
async def test_no_stretch_with_something_wrong_is_right(
    what: str, bench: LedgerBench, database_url: str
) -> None:
    """Whichever column it is."""
    last = await a_log(bench)
    connection = await connect(database_url)
    await connection.execute("SET session_replication_role = replica")
    await connection.execute(DAMAGE[what])
    quick = QuickCheck(connection, connection)
    found = await quick.check(await quick.read(1, last), last)
    await connection.close()

    assert found is None
