"""Facts from PostgreSQL over NATS to a handler with its transaction in PostgreSQL, while things break."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from libs.bus.nats import NatsBus
from libs.bus.port import BusUnavailable
from libs.bus.topology import feed_stream
from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part
from libs.eventsourcing.ids import derived_id
from libs.eventstore import faults
from libs.eventstore.checkpoint import advance
from libs.eventstore.consumer import Consumer
from libs.eventstore.faults import Faults
from libs.eventstore.lag import read_lag
from libs.eventstore.loops import consumer_loop, event_core_loops
from libs.eventstore.port import StreamAppend
from libs.eventstore.position import LocalFeedReader
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.wake import Wake
from tests.support.servers import Databases, NatsServer
from tests.support.waiting import until

START = datetime(2026, 10, 1, tzinfo=UTC)
TYPE = "sparrow.match.attempt_cleared.v1"
CALLER = UUID(int=7)

PATIENCE_S = 40.0

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def own_nats() -> Iterator[NatsServer]:
    """A server that a test may kill and wipe."""
    server = NatsServer()
    server.start()
    yield server
    server.remove()


class World:
    """One service's database, its loops, and a consumer whose effects are rows."""

    def __init__(self, database: Database, bus: NatsBus) -> None:
        self.database, self.bus = database, bus
        self.wake = Wake(bus, "match")
        self.appended: list[str] = []
        self.handled_at: dict[str, float] = {}
        self.consumer = Consumer(
            bus, LocalFeedReader(database.feed), StoredCheckpoint(database, "test"), name="test",
            source="local/match", part=Part.FACTS, declared={TYPE: 1}, handle=self.handle,
        )  # fmt: skip

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Insert a row per entry and move the checkpoint, in one transaction. Twice the same is an error."""
        rows = [{"seq": one.seq, "key": one.event.data.decode()} for one in entries]
        async with self.database.engine.begin() as connection:
            await connection.execute(text("INSERT INTO effect VALUES (:seq, :key)"), rows)
            await advance(connection, "test", epoch, entries[-1].seq, entries[-1].chain)
        now = asyncio.get_running_loop().time()
        self.handled_at.update({row["key"]: now for row in rows})  # type: ignore[misc] # keys are texts

    async def append(self, key: str) -> None:
        """Append one fact as a stream of its own, and wake."""
        at = START + timedelta(milliseconds=len(self.appended))
        stream = derived_id(at, key)
        event = NewEvent(Part.FACTS, TYPE, 1, at, key.encode())
        await self.database.store.append([StreamAppend(stream, 0, (event,))], recorded_at=at, caller=CALLER)
        self.appended.append(key)
        await self.wake.committed(stream, 1)

    async def effects(self) -> list[str]:
        """Return the keys of the effects in the order of the feed."""
        async with self.database.engine.begin() as connection:
            return list((await connection.execute(text("SELECT key FROM effect ORDER BY seq"))).scalars())

    async def stream_ends_with(self, chain: bytes) -> bool:
        """Whether the newest message of the stream has this chain value."""
        try:
            last = await self.bus.last_message(feed_stream("match", Part.FACTS).name)
        except BusUnavailable:
            return False
        return last is not None and last.headers["ce-chain"] == chain.hex()

    async def all_handled(self, within_s: float = PATIENCE_S) -> None:
        """Wait until everything that was appended was handled, and see that it was handled once."""
        await until(lambda: len(self.handled_at) >= len(self.appended), within_s)
        assert sorted(await self.effects()) == sorted(self.appended)

    @asynccontextmanager
    async def running(self, holder: str = "process-1") -> AsyncIterator[None]:
        """Run the loops as a process does: one that ends with an error begins again after a pause."""
        stop = asyncio.Event()
        loops = event_core_loops(self.database, self.bus, "match", holder, (Part.FACTS,))
        loops.append(consumer_loop(self.database, holder, self.consumer))

        async def run_for_ever(run: object) -> None:
            assert callable(run)
            while not stop.is_set():
                try:
                    await run(stop)
                except Exception:  # noqa: BLE001 as the process does
                    await asyncio.sleep(0.1)

        tasks = [asyncio.create_task(run_for_ever(run)) for name, run in loops if "partitions" not in name]
        yield
        stop.set()
        await asyncio.gather(*tasks)


@asynccontextmanager
async def asyncpg_connection(url: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """A connection beside the pools, as a probe has one."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def a_world(database_url: str, nats_url: str) -> AsyncIterator[World]:
    """Open everything, and close it."""
    database = await Database.open(database_url, "match")
    async with database.engine.begin() as connection:
        await connection.execute(
            text("CREATE TABLE IF NOT EXISTS effect (seq bigint PRIMARY KEY, key text UNIQUE)")
        )
    bus = await NatsBus.connect(nats_url)
    try:
        yield World(database, bus)
    finally:
        await bus.close()
        await database.close()


async def test_a_fact_arrives_in_a_moment(
    database_url: str, own_nats: NatsServer, record_property: Callable[[str, object], None]
) -> None:
    """When idle, the median way from commit to committed effect takes less than 100 ms, and uses the bus."""
    async with a_world(database_url, own_nats.url) as world, world.running():
        await world.append("first")
        await world.all_handled()
        await asyncio.sleep(1)
        clock = asyncio.get_running_loop().time
        took: list[float] = []
        for number in range(30):
            key = f"k{number}"
            sent_at = clock()
            await world.append(key)
            await until(lambda key=key: key in world.handled_at, every_s=0.001)  # type: ignore[misc]
            took.append(world.handled_at[key] - sent_at)
            await asyncio.sleep(0.03)
        await world.all_handled()

    record_property("commit_to_effect_ms", round(statistics.median(took) * 1000, 1))
    assert world.consumer.progress.from_bus >= 25


async def test_nats_may_die_under_load(database_url: str, own_nats: NatsServer) -> None:
    """Killed and started again under load: the bus carries again, nothing is lost or doubled."""
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(300):
            if number in (100, 200):
                await asyncio.to_thread(own_nats.kill)
            if number in (130, 230):
                await asyncio.to_thread(own_nats.start)
            await world.append(f"k{number}")
            await asyncio.sleep(0.005)
        await world.all_handled()
        from_bus = world.consumer.progress.from_bus
        back_at = asyncio.get_running_loop().time()
        await until(lambda: world.bus.connected, PATIENCE_S)
        while world.consumer.progress.from_bus == from_bus:
            assert asyncio.get_running_loop().time() - back_at < PATIENCE_S, "the bus carries nothing again"
            await world.append(f"after{len(world.appended)}")
            await asyncio.sleep(0.1)
        await world.all_handled(PATIENCE_S)


async def test_what_the_stream_holds_twice_is_handled_once(database_url: str, own_nats: NatsServer) -> None:
    """Scenario E36: sent again after the window of repeats, in another order: one effect each."""
    stream = feed_stream("match", Part.FACTS).name
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(50):
            await world.append(f"k{number}")
        await world.all_handled()
        await until(lambda: world.consumer.progress.from_bus > 0)
        for seq in [*range(50, 0, -1), *range(1, 51)]:
            kept = await world.bus._js.get_msg(stream, seq)
            headers = {name: text for name, text in (kept.headers or {}).items() if name != "Nats-Msg-Id"}
            await world.bus.publish(kept.subject or "", kept.data or b"", headers, f"again-{uuid4()}")
        await world.append("after")
        await world.all_handled()
        messages = (await world.bus.stream_info(stream)).state.messages

    assert messages == 50 + 100 + 1


async def test_two_replicas_on_one_durable_handle_each_fact_once(
    database_url: str, own_nats: NatsServer
) -> None:
    """Scenario E44: the one that works leaves in the midst, with messages fetched; the other goes on."""
    async with (
        a_world(database_url, own_nats.url) as one,
        a_world(database_url, own_nats.url) as other,
        other.running("process-2"),
    ):
        async with one.running("process-1"):
            for number in range(200):
                await one.append(f"k{number}")
            await until(lambda: len(one.handled_at) + len(other.handled_at) >= 50, PATIENCE_S)
        await until(lambda: len(one.handled_at | other.handled_at) >= 200, PATIENCE_S)
        await one.append("after")
        await until(lambda: "after" in other.handled_at, PATIENCE_S)

        assert sorted(await other.effects()) == sorted(one.appended)
        assert not one.handled_at.keys() & other.handled_at.keys()


async def test_a_quiet_consumer_says_nothing_and_stays_what_it_is(
    database_url: str, own_nats: NatsServer
) -> None:
    """Scenario E50: an empty fetch is no error; no line is logged and nothing is made anew."""
    async with a_world(database_url, own_nats.url) as world, world.running():
        await world.append("first")
        await world.all_handled()
        await until(lambda: world.bus.connected)
        await asyncio.sleep(0.5)
        with capture_logs() as lines:
            await asyncio.sleep(3.0)  # longer than the server keeps a request open

    assert lines == []
    assert (world.consumer.progress.recreated, world.consumer.progress.running) == (0, False)


async def test_a_relay_without_nats_falls_behind_where_it_is_seen_and_catches_up(
    database_url: str, own_nats: NatsServer
) -> None:
    """Scenario O28: the figure that probes read rises while NATS is down, and is 0 again afterwards."""

    async def behind() -> int:
        async with asyncpg_connection(database_url) as connection:
            lag = await read_lag(connection, "match")
        return lag.heads["facts"] - lag.checkpoints.get("relay.facts", 0)

    async with a_world(database_url, own_nats.url) as world, world.running():
        await world.append("before")
        await world.all_handled()
        await asyncio.to_thread(own_nats.kill)
        for number in range(20):
            await world.append(f"k{number}")
        await world.all_handled()
        risen = await behind()
        await asyncio.to_thread(own_nats.start)
        async with asyncio.timeout(PATIENCE_S):
            while await behind():  # noqa: ASYNC110 another task sets no event
                await asyncio.sleep(0.05)

    assert risen >= 20


async def test_facts_go_on_without_nats(database_url: str, own_nats: NatsServer) -> None:
    """While NATS is down commits are answered, and their facts still arrive, read from the owner."""
    async with a_world(database_url, own_nats.url) as world, world.running():
        await world.append("before")
        await world.all_handled()
        await asyncio.to_thread(own_nats.kill)
        for number in range(20):
            await world.append(f"k{number}")
        await world.all_handled(10)


async def test_a_process_may_start_before_nats(database_url: str, own_nats: NatsServer) -> None:
    """A bus whose server is not there yet does not keep a process from starting; it connects later."""
    await asyncio.to_thread(own_nats.kill)
    bus = await NatsBus.connect(own_nats.url, first_wait_s=0.2)
    assert not bus.connected
    await asyncio.to_thread(own_nats.start)
    await until(lambda: bus.connected, 5)
    await bus.close()


async def test_jetstream_may_be_wiped(database_url: str, own_nats: NatsServer) -> None:
    """With its folder deleted, the stream is made and filled again, and no effect comes twice."""
    stream = feed_stream("match", Part.FACTS).name
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(200):
            await world.append(f"k{number}")
        await world.all_handled()
        await asyncio.to_thread(own_nats.kill)
        await asyncio.to_thread(own_nats.wipe)
        await asyncio.to_thread(own_nats.start)
        await until(lambda: world.bus.connected, PATIENCE_S)

        async def refilled() -> None:
            while True:
                try:
                    if (await world.bus.stream_info(stream)).state.messages >= 200:
                        return
                except BusUnavailable:
                    await asyncio.sleep(0.05)
                await asyncio.sleep(0.05)

        await asyncio.wait_for(refilled(), 10)
        await world.append("after")
        await world.all_handled(PATIENCE_S)


@pytest.mark.parametrize("kept", [0, 40], ids=["new database", "restored backup"])
async def test_jetstream_may_hold_what_the_database_lost(
    kept: int, database_url: str, databases: Databases, own_nats: NatsServer
) -> None:
    """None of it takes effect; the stream is made anew, and new facts arrive once each."""
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(kept):
            await world.append(f"k{number}")
        await world.all_handled()
    backup = databases.copy(database_url)
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(50):
            await world.append(f"lost{number}")
        await until(lambda: len(world.handled_at) == 50)
    async with a_world(backup, own_nats.url) as world:
        async with world.running():
            for number in range(60):
                await world.append(f"new{number}")
            await until(lambda: len(world.handled_at) == 60, 20)
            head = await world.database.feed.head(Part.FACTS)
            async with asyncio.timeout(10):
                while not await world.stream_ends_with(head.chain):  # noqa: ASYNC110 the relay's work
                    await asyncio.sleep(0.05)
        assert {key.rstrip("0123456789") for key in await world.effects()} == (
            {"k", "new"} if kept else {"new"}
        )
        assert world.consumer.progress.stopped is None
    databases.drop(backup)


@pytest.mark.parametrize(
    "point", ["relay.before_publish", "relay.published", "relay.acknowledged", "relay.saved"]
)
async def test_a_relay_may_break_anywhere(
    point: str, database_url: str, own_nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken at each step, the relay goes on: every fact is handled once, and once in the stream."""
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise:3"))
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(60):
            await world.append(f"k{number}")
            await asyncio.sleep(0.005)
        await world.all_handled()
        stream = feed_stream("match", Part.FACTS).name
        await asyncio.sleep(0.5)
        info = await world.bus.stream_info(stream)
        assert not faults._FAULTS.is_armed
        assert info.state.messages == 60


@pytest.mark.parametrize("point", ["consumer.fetched", "consumer.committed", "consumer.acknowledged"])
async def test_a_consumer_may_break_anywhere(
    point: str, database_url: str, own_nats: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken at each of its steps, the consumer goes on: every fact is handled once."""
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise:3"))
    async with a_world(database_url, own_nats.url) as world, world.running():
        for number in range(60):
            await world.append(f"k{number}")
            await asyncio.sleep(0.005)
        await world.all_handled()
        assert not faults._FAULTS.is_armed
