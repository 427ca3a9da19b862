"""Outages: one row for each silence of all replicas, known to each stream before it decides."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from libs.eventstore.outage import Outage, Outages
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.runtime.systemclock import SteppingClock
from tests.support.servers import PostgresServer, Server
from tests.support.store_contract import NOW
from tests.support.waiting import until

SECOND = timedelta(seconds=1)


async def written(database: Database) -> list[Outage]:
    """All rows."""
    return [Outage(*row) for row in await database.pool.fetch("SELECT from_at, to_at FROM outage ORDER BY 1")]


async def test_many_replicas_that_start_at_once_write_one_outage(
    database: Database, database_url: str
) -> None:
    """Ten replicas find the same silence; all of them know the one outage, from last to first heartbeat."""
    await Outages(database, beats=True, now=lambda: NOW).beat()
    clock = SteppingClock(NOW + 10 * SECOND)
    others = [await Database.open(database_url, "match") for _ in range(4)]
    replicas = [Outages(others[n % 4], beats=True, now=clock.now) for n in range(10)]
    await asyncio.gather(*(replica.beat() for replica in replicas))
    expected = Outage(NOW, NOW + 10 * SECOND)

    assert await written(database) == [expected]
    assert [await replica.since(NOW + 5 * SECOND) for replica in replicas] == [(expected,)] * 10
    assert await replicas[0].since(NOW + 10 * SECOND) == ()
    for other in others:
        await other.close()


async def test_the_outage_is_written_before_a_replica_is_ready(database: Database) -> None:
    """Asking whether it is ready beats, once; the row is there when the answer is."""
    await Outages(database, beats=True, now=lambda: NOW).beat()
    clock = SteppingClock(NOW + 10 * SECOND)
    replica = Outages(database, beats=True, now=clock.now)
    assert not replica.is_known
    assert await replica.is_ready()
    assert await written(database) == [Outage(NOW, NOW + 10 * SECOND)]
    clock.advance(10 * SECOND)
    assert await replica.is_ready()
    assert len(await written(database)) == 1


async def test_three_seconds_are_no_outage(database: Database) -> None:
    """Up to three seconds of silence is a slow moment; a millisecond more is an outage."""
    clock = SteppingClock(NOW)
    replica = Outages(database, beats=True, now=clock.now)
    await replica.beat()
    clock.advance(3 * SECOND)
    await replica.beat()
    assert await written(database) == []
    clock.advance(timedelta(seconds=3, milliseconds=1))
    await replica.beat()

    assert len(await written(database)) == 1


async def test_the_first_start_of_all_is_no_outage(database: Database) -> None:
    """Without a heartbeat before it there is nothing to be away from."""
    assert await Outages(database, beats=True).since(NOW) == ()


async def test_a_rolling_restart_is_no_outage(database: Database) -> None:
    """One replica stays away for long, the other one beats: clocks go on, for both."""
    clock = SteppingClock(NOW)
    one, two = (Outages(database, beats=True, now=clock.now) for _ in range(2))
    await one.beat()
    await two.beat()
    for _ in range(20):
        clock.advance(SECOND)
        await two.beat()
    restarted = Outages(database, beats=True, now=clock.now)
    await restarted.beat()

    assert await written(database) == []
    assert await restarted.since(NOW) == ()


async def test_a_replica_with_a_late_clock_takes_no_heartbeat_back(database: Database) -> None:
    """A heartbeat of an earlier instant changes nothing."""
    for seconds in (2, 0, 5):
        clock = SteppingClock(NOW + seconds * SECOND)
        await Outages(database, beats=True, now=clock.now).beat()

    assert await written(database) == []


async def test_a_worker_sees_an_outage_while_it_lasts_and_after_it(database: Database) -> None:
    """It holds its timers while nobody serves, does not end the outage by itself, and learns of its end."""
    clock = SteppingClock(NOW)
    serving = Outages(database, beats=True, now=clock.now)
    worker = Outages(database, beats=False, now=clock.now)
    assert not await worker.is_ongoing()  # nobody has ever served
    await serving.beat()
    await worker.beat()
    assert not await worker.is_ongoing()
    clock.advance(9 * SECOND)
    await worker.beat()
    assert await worker.is_ongoing()
    assert await written(database) == []
    await serving.beat()
    await worker.beat()

    assert not await worker.is_ongoing()
    assert await worker.since(NOW) == (Outage(NOW, NOW + 9 * SECOND),)


async def test_later_outages_are_told_in_order(database: Database) -> None:
    """Those that ended after an instant, and no others."""
    clock = SteppingClock(NOW)
    replica = Outages(database, beats=True, now=clock.now)
    for _ in range(4):
        await replica.beat()
        clock.advance(10 * SECOND)
    told = await replica.since(NOW + 15 * SECOND)

    assert [outage.from_at for outage in told] == [NOW + 10 * SECOND, NOW + 20 * SECOND]
    assert await Outages(database, beats=True, now=clock.now).since(NOW) == tuple(await written(database))


@pytest.mark.timeout(90)
async def test_postgresql_away_while_running_is_an_outage(
    database: Database, postgres_server: Server
) -> None:
    """Two replicas go on through it; before either answers a stream it knows of the one outage."""
    assert isinstance(postgres_server, PostgresServer)
    stop = asyncio.Event()
    replicas = [Outages(database, beats=True) for _ in range(2)]
    loops = [asyncio.create_task(replica.run(stop)) for replica in replicas]
    await until(lambda: all(replica.is_known for replica in replicas))
    before = await database.pool.fetchval("SELECT clock_timestamp()")
    postgres_server.kill()
    await asyncio.sleep(3.6)
    with pytest.raises(StoreUnavailable):
        await replicas[0].since(before)
    postgres_server.start()
    told = [await replica.since(before) for replica in replicas]
    await asyncio.sleep(1.2)
    rows = await written(database)
    stop.set()
    await asyncio.gather(*loops)

    assert len(rows) == 1
    assert told == [tuple(rows)] * 2
    assert timedelta(seconds=3) < rows[0].to_at - rows[0].from_at < timedelta(seconds=20)
