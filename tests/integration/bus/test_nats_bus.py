"""The NATS adapter keeps the bus contract, and survives its server."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from libs.bus import nats
from libs.bus.nats import NatsBus
from libs.bus.port import BusUnavailable, Message, PullLost
from tests.support.bus_contract import BusContract, a_stream, fetch_count, put, texts
from tests.support.servers import NatsServer
from tests.support.waiting import until


class TestNatsBus(BusContract):
    """The suite on a real server."""

    @pytest.fixture
    async def bus(self, nats_url: str) -> AsyncIterator[NatsBus]:
        """A connection of its own."""
        bus = await NatsBus.connect(nats_url)
        yield bus
        await bus.close()


@pytest.fixture
def own_nats() -> Iterator[NatsServer]:
    """A server that a test may kill."""
    server = NatsServer()
    server.start()
    yield server
    server.remove()


async def test_a_pull_hears_again_after_a_restart(own_nats: NatsServer) -> None:
    """Killed and started again, the same hand of the same durable consumer delivers."""
    bus = await NatsBus.connect(own_nats.url)
    settings = a_stream()
    await bus.ensure_stream(settings)
    pull = await bus.pull(settings.name, "d")
    assert await pull.fetch(10, 0.1) == []
    await asyncio.to_thread(own_nats.kill)
    with pytest.raises(BusUnavailable):
        await put(bus, settings, "lost")
    await asyncio.to_thread(own_nats.start)
    async with asyncio.timeout(30):
        await until(lambda: bus.connected)
        await put(bus, settings, "a")
        got = await fetch_count(pull, 1)
    await bus.close()

    assert texts(got) == ["a"]


async def test_publishes_in_flight_fail_with_the_connection(own_nats: NatsServer) -> None:
    """What a suspended server that then dies has not answered fails; it neither succeeds nor waits on."""
    bus = await NatsBus.connect(own_nats.url)
    try:
        settings = a_stream()
        await bus.ensure_stream(settings)
        assert own_nats.pid is not None
        os.kill(own_nats.pid, signal.SIGSTOP)
        await until(lambda: _is_suspended(own_nats.pid))
        waiting = asyncio.create_task(put(bus, settings, "a"))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await asyncio.to_thread(own_nats.kill)
        async with asyncio.timeout(30):
            with pytest.raises(BusUnavailable):
                await waiting
    finally:
        await bus.close()


def _is_suspended(pid: int | None) -> bool:
    """Whether no thread of the process runs: the signal reaches them one by one."""
    tasks = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(stat.read_text().rpartition(")")[2].split()[0] == "T" for stat in tasks)


async def test_a_small_disk_carries_streams_with_large_limits(own_nats: NatsServer) -> None:
    """A limit says when the oldest goes; it is no claim on disk that is not there."""
    free_bytes = shutil.disk_usage(own_nats.folder).free
    bus = await NatsBus.connect(own_nats.url)
    settings = replace(a_stream(), max_bytes=2 * free_bytes)
    await bus.ensure_stream(settings)
    await put(bus, settings, "a")
    state = await bus.ensure_stream(settings)
    await bus.close()

    assert state.last_sequence == 1


async def test_core_subscriptions_survive_a_restart(own_nats: NatsServer) -> None:
    """What was subscribed before an outage, and what was subscribed during it, is heard after it."""
    bus = await NatsBus.connect(own_nats.url)
    heard: asyncio.Queue[Message] = asyncio.Queue()
    await bus.subscribe("before", heard.put)
    await asyncio.to_thread(own_nats.kill)
    await until(lambda: not bus.connected)
    await bus.subscribe("during", heard.put)
    await bus.send("before", b"nobody hears this")
    await asyncio.to_thread(own_nats.start)
    await until(lambda: bus.connected)
    await asyncio.sleep(0.1)
    await bus.send("before", b"1")
    await bus.send("during", b"2")
    async with asyncio.timeout(20):
        got = [(await heard.get()).data, (await heard.get()).data]
    await bus.close()

    assert got == [b"1", b"2"]


async def test_a_deleted_durable_is_lost(nats_url: str) -> None:
    """When an operator deletes a durable consumer, its hand says so instead of waiting for ever."""
    bus = await NatsBus.connect(nats_url)
    settings = a_stream()
    await bus.ensure_stream(settings)
    pull = await bus.pull(settings.name, "d")
    await pull.fetch(1, 0.05)
    await bus._js.delete_consumer(settings.name, "d")
    with pytest.raises(PullLost):
        await fetch_count(pull, 1)
    await bus.close()


async def test_streams_are_made_as_configured(nats_url: str) -> None:
    """File storage, limits, oldest discarded, no deleting or purging: as the topology says.

    Scenario E39: no stream copies another one, so no window of repeats meets a second one.
    """
    bus = await NatsBus.connect(nats_url)
    settings = a_stream()
    await bus.ensure_stream(settings)
    config = (await bus.stream_info(settings.name)).config
    await bus.close()

    assert (config.storage, config.retention, config.discard) == ("file", "limits", "old")
    assert config.deny_delete and config.deny_purge
    assert not config.sources and config.mirror is None
    assert (config.max_age, config.max_bytes) == (settings.max_age_s, settings.max_bytes)
    assert config.duplicate_window == settings.duplicate_window_s


async def test_a_pull_goes_on_after_the_limit_of_unacknowledged_messages(
    nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenario E42: held back at the limit, freed by one acknowledgement, delivered again where none came."""
    monkeypatch.setattr(nats, "_ACK_PENDING_MAX", 10)
    bus = await NatsBus.connect(nats_url)
    settings = a_stream()
    await bus.ensure_stream(settings)
    pull = await bus.pull(settings.name, "d", ack_wait_s=1.0)
    names = [str(number) for number in range(25)]
    await put(bus, settings, *names)
    first = await fetch_count(pull, 10)
    held_back = await pull.fetch(20, 0.2)
    await pull.ack(first[-1])
    second = await fetch_count(pull, 10)
    again = await fetch_count(pull, 10)  # nobody acknowledged them
    await pull.ack(again[-1])
    last = await fetch_count(pull, 5)
    await bus.close()

    assert held_back == []
    assert [texts(got) for got in (first, second, again, last)] == [
        names[:10],
        names[10:20],
        names[10:20],
        names[20:],
    ]
    assert {one.attempt for one in again} == {2}
