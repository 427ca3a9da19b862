"""The schema itself: migrations, partitions, and what the database refuses by itself."""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from time import perf_counter
from typing import Any

import asyncpg
import pytest

from libs.eventsourcing.envelope import Part
from libs.eventstore.migrations import last_revisions, upgrade
from libs.eventstore.partitions import ensure_partitions, keep_partitions
from libs.eventstore.port import Appended
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from tests.support.store_contract import NOW, append, fact, move, stream, to

PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = $1::regclass ORDER BY 1
"""


@pytest.mark.timeout(120)
async def test_two_processes_upgrade_an_empty_database_at_once(empty_database_url: str) -> None:
    """Started together, both end well and every schema stands at its last revision, once."""
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        await asyncio.gather(
            *(loop.run_in_executor(processes, upgrade, empty_database_url) for _ in range(2))
        )

    connection = await asyncpg.connect(empty_database_url)
    for schema, revision in last_revisions().items():
        rows = await connection.fetch(f"SELECT version_num FROM {schema}.alembic_version")
        assert [row[0] for row in rows] == [revision]
    await connection.close()
    assert set(last_revisions()) >= {"account", "match", "ledger"}


async def test_an_upgrade_of_a_present_database_takes_no_time(database_url: str) -> None:
    """A start that has nothing to migrate loses next to nothing (about 30 ms; the bound leaves room)."""
    took = []
    for _ in range(5):
        start = perf_counter()
        await asyncio.to_thread(upgrade, database_url)
        took.append(perf_counter() - start)

    assert min(took) < 0.15


@pytest.mark.parametrize("table", ["event", "feed"])
@pytest.mark.parametrize("change", ["UPDATE {} SET version = version + 1", "DELETE FROM {}", "TRUNCATE {}"])
async def test_facts_are_never_changed(database: Database, table: str, change: str) -> None:
    """The database itself refuses to update, delete or empty the log and the feed."""
    await append(database.store, to(1, 0, fact("a")))
    await Sequencer(database, Part.FACTS).step(1)

    with pytest.raises(asyncpg.PostgresError, match="facts are never changed"):
        await database.pool.execute(change.format(table))


async def test_events_lie_in_the_month_of_their_stream(database: Database) -> None:
    """A stream's events are in the partition of its part and month of birth, whenever they occur."""
    await ensure_partitions(database.pool, NOW, 1)
    december = stream(2, born=datetime(2026, 12, 1, tzinfo=UTC))
    ancient = stream(3, born=datetime(2001, 1, 1, tzinfo=UTC))
    await append(database.store, to(1, 0, fact("a"), move("b")))
    for stream_id in (december, ancient):
        append_ = to(1, 0, fact("c"))
        result = await database.store.append(
            [type(append_)(stream_id, 0, append_.events)], recorded_at=NOW, caller=stream_id
        )
        assert isinstance(result, Appended)

    rows = await database.pool.fetch(
        "SELECT tableoid::regclass::text, stream_id, version FROM event ORDER BY 1"
    )
    assert [(row[0], row[1]) for row in rows] == [
        ("event_facts_202611", stream(1)),
        ("event_facts_202612", december),
        ("event_facts_default", ancient),
        ("event_moves_202611", stream(1)),
    ]


async def test_partitions_are_made_ahead_once(database: Database) -> None:
    """Months are made once, over the turn of a year; a month whose events went to the default stays there."""
    await append(
        database.store,
        type(to(1, 0))(stream(1, born=datetime(2031, 1, 15, tzinfo=UTC)), 0, (fact("early"),)),
    )
    at = datetime(2030, 12, 31, 23, 59, tzinfo=UTC)

    assert await ensure_partitions(database.pool, at, 2) == 5
    assert await ensure_partitions(database.pool, at, 2) == 0
    names = [row[0] for row in await database.pool.fetch(PARTITIONS, "event_facts")]
    assert {"event_facts_203012", "event_facts_203102"} <= set(names)
    assert "event_facts_203101" not in names


async def test_upkeep_runs_until_it_is_stopped(database: Database) -> None:
    """The worker's loop makes the coming months and ends with `stop`."""
    stop = asyncio.Event()
    upkeep = asyncio.create_task(keep_partitions(database, stop))
    await asyncio.sleep(0.2)
    stop.set()
    await upkeep

    assert await ensure_partitions(database.pool, await database.pool.fetchval("SELECT now()")) == 0


async def test_many_months_cost_a_load_one_partition_per_part(database: Database) -> None:
    """Reading a stream looks only where its events can be, however many months there are."""
    await ensure_partitions(database.pool, NOW, 12)
    plan: list[Any] = await database.pool.fetch(
        "EXPLAIN SELECT * FROM event WHERE stream_id = $1 AND version > 0 ORDER BY version", stream(1)
    )
    scanned = {line.split(" on ")[1].split()[0] for (line,) in plan if " on event" in line}

    assert scanned <= {"event_facts_202611", "event_moves_202611"}


async def test_a_cached_outbox_sequence_is_refused(database: Database, database_url: str) -> None:
    """With cached values a stream's rows could be numbered out of order: the service does not start."""
    await database.pool.execute("ALTER TABLE outbox ALTER COLUMN pos SET CACHE 20")

    with pytest.raises(AssertionError, match="caches 20"):
        await Database.open(database_url, "match")


async def test_the_pools_keep_their_budget(database: Database) -> None:
    """However many ask at once, a service has no more sessions than its budget."""
    async with database.store.transaction(), database.store.transaction():
        await asyncio.gather(*(append(database.store, to(n, 0, fact("a"))) for n in range(40)))
        sessions = await database.pool.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = 'sparrow-match'"
        )

    assert sessions == 5
