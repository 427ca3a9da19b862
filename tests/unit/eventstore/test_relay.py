"""The relay: nothing is lost, and what was lost elsewhere is published again."""

from __future__ import annotations

import asyncio

import pytest

from libs.bus.memory import MemoryBus
from libs.bus.port import Message, StreamSettings
from libs.bus.topology import feed_stream
from libs.eventsourcing.envelope import Part
from libs.eventstore.heads import decode_head
from libs.eventstore.pace import Pace
from libs.eventstore.port import Fenced
from libs.eventstore.relay import Relay
from tests.support.feeds import SOURCE, ListFeed, MemoryCheckpoint
from tests.support.waiting import until

STREAM = feed_stream("match", Part.FACTS)


def a_relay(
    feed: ListFeed, checkpoint: MemoryCheckpoint, bus: MemoryBus, stream: StreamSettings = STREAM
) -> Relay:
    """Return a relay that hurries."""
    return Relay(feed, checkpoint, bus, SOURCE, Part.FACTS, pace=Pace(1, 5), stream=stream)


async def carried(bus: MemoryBus, relay_until: int, relay: Relay, epoch: int = 1) -> None:
    """Run a relay until its stream holds `relay_until` messages."""
    stop = asyncio.Event()
    running = asyncio.create_task(relay.run(epoch, stop))
    async with asyncio.timeout(20):
        while not running.done():
            if not bus.down and (await bus.ensure_stream(STREAM)).last_sequence >= relay_until:
                break
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.01)
        stop.set()
        await running


async def sequences(bus: MemoryBus) -> list[int]:
    """Return the feed sequences in the stream, in its order."""
    stream = bus._streams[STREAM.name]
    return [int(one.headers["ce-sequence"]) for one in stream.messages]


def _messages(bus: MemoryBus) -> list[Message]:
    return bus._streams[STREAM.name].messages if STREAM.name in bus._streams else []


def chains(bus: MemoryBus) -> list[bytes]:
    """Return the chain values in the stream, in its order."""
    return [bytes.fromhex(one.headers["ce-chain"]) for one in _messages(bus)]


async def test_a_feed_is_published_in_order_and_remembered() -> None:
    """Every entry is in the stream once, in order, and the checkpoint stands at the last."""
    feed, bus, checkpoint = ListFeed(1_234), MemoryBus(), MemoryCheckpoint()
    await carried(bus, 1_234, a_relay(feed, checkpoint, bus))

    assert await sequences(bus) == list(range(1, 1_235))
    assert checkpoint.seq == 1_234


async def test_a_crash_before_the_checkpoint_repeats_under_the_same_ids() -> None:
    """A relay that lost its checkpoint publishes again, and within the window nothing is stored twice."""
    feed, bus = ListFeed(20), MemoryBus()
    await carried(bus, 20, a_relay(feed, MemoryCheckpoint(), bus))
    feed.grow(5)
    await carried(bus, 25, a_relay(feed, MemoryCheckpoint(), bus))

    assert await sequences(bus) == list(range(1, 26))


async def test_two_relays_are_harmless() -> None:
    """Two relays at once store each entry once."""
    feed, bus = ListFeed(700), MemoryBus()
    first, second = (a_relay(feed, MemoryCheckpoint(), bus) for _ in range(2))
    await asyncio.gather(carried(bus, 700, first), carried(bus, 700, second))

    assert sorted(await sequences(bus)) == list(range(1, 701))


async def test_a_wiped_stream_is_filled_again() -> None:
    """A relay that starts after a wipe publishes everything again, though its checkpoint is at the end."""
    feed, bus, checkpoint = ListFeed(30), MemoryBus(), MemoryCheckpoint()
    await carried(bus, 30, a_relay(feed, checkpoint, bus))
    bus.wipe()
    await carried(bus, 30, a_relay(feed, checkpoint, bus), epoch=2)

    assert await sequences(bus) == list(range(1, 31))
    assert checkpoint.seq == 30


async def test_a_wipe_under_a_running_relay_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that is wiped while the relay runs is filled again, without a new event."""
    monkeypatch.setattr("libs.eventstore.relay.HEAD_EVERY_S", 0.02)
    feed, bus, checkpoint = ListFeed(30), MemoryBus(), MemoryCheckpoint()
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, checkpoint, bus).run(1, stop))
    await until(lambda: checkpoint.seq == 30, every_s=0.002)
    bus.wipe()
    await until(lambda: STREAM.name in bus._streams, every_s=0.002)
    await until(lambda: len(bus._streams[STREAM.name].messages) == 30, every_s=0.002)
    stop.set()
    await running

    assert await sequences(bus) == list(range(1, 31))


async def test_a_stream_that_lost_its_end_gets_it_again() -> None:
    """Only what is missing at the end is published again."""
    feed, bus, checkpoint = ListFeed(30), MemoryBus(), MemoryCheckpoint()
    await carried(bus, 30, a_relay(feed, checkpoint, bus))
    stream = bus._streams[STREAM.name]
    del stream.messages[20:]
    stream.ids.clear()
    await carried(bus, 30, a_relay(feed, checkpoint, bus), epoch=2)

    assert await sequences(bus) == list(range(1, 31))


@pytest.mark.parametrize(
    "kept", [0, 20, 30], ids=["new database", "restored backup", "same, but for the end"]
)
async def test_a_stream_of_another_history_is_replaced(kept: int) -> None:
    """A stream that the feed never wrote, ahead of it or beside it, gives way, within the id window too."""
    lost, bus = ListFeed(35), MemoryBus()
    await carried(bus, 35, a_relay(lost, MemoryCheckpoint(), bus))
    feed, checkpoint = ListFeed(kept), MemoryCheckpoint()
    checkpoint.seq = kept
    feed.grow(40 - kept, data=b"another")
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, checkpoint, bus).run(1, stop))
    await until(lambda: checkpoint.seq == 40, every_s=0.002)
    stop.set()
    await running

    assert chains(bus) == [one.chain for one in feed.entries]


async def test_a_stream_that_is_exchanged_under_a_running_relay_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server may come back on another folder, with as many messages as before: that is noticed."""
    monkeypatch.setattr("libs.eventstore.relay.HEAD_EVERY_S", 0.02)
    feed, bus, checkpoint = ListFeed(30), MemoryBus(), MemoryCheckpoint()
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, checkpoint, bus).run(1, stop))
    await until(lambda: checkpoint.seq == 30, every_s=0.002)
    other, other_bus = ListFeed(), MemoryBus()
    other.grow(40, data=b"another")
    await carried(other_bus, 40, a_relay(other, MemoryCheckpoint(), other_bus))
    bus._streams[STREAM.name] = other_bus._streams[STREAM.name]
    expected = [one.chain for one in feed.entries]
    await until(lambda: chains(bus) == expected, every_s=0.002)
    stop.set()
    await running


async def test_a_refill_begins_where_the_stream_would_still_keep() -> None:
    """Entries older than the stream's age limit, counted from the newest, are not published again."""
    short = feed_stream("match", Part.FACTS, max_age_s=10.0)
    feed, bus, checkpoint = ListFeed(100), MemoryBus(), MemoryCheckpoint()
    checkpoint.seq = 100
    await carried(bus, 11, a_relay(feed, checkpoint, bus, short))

    assert await sequences(bus) == list(range(90, 101))


async def test_an_outage_is_waited_out() -> None:
    """While the bus is away the relay neither ends nor forgets; afterwards it goes on by itself."""
    feed, bus, checkpoint = ListFeed(10), MemoryBus(), MemoryCheckpoint()
    bus.down = True
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, checkpoint, bus).run(1, stop))
    await asyncio.sleep(0.05)
    assert not running.done()
    assert checkpoint.seq == 0
    bus.down = False
    await until(lambda: checkpoint.seq == 10, every_s=0.002)
    stop.set()
    await running

    assert await sequences(bus) == list(range(1, 11))


async def test_a_fenced_relay_ends() -> None:
    """A relay whose checkpoint was claimed by a later epoch raises and publishes no more."""
    feed, bus, checkpoint = ListFeed(10), MemoryBus(), MemoryCheckpoint()
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, checkpoint, bus).run(1, stop))
    await until(lambda: checkpoint.seq == 10, every_s=0.002)
    await checkpoint.claim(2)
    feed.grow()
    async with asyncio.timeout(20):
        with pytest.raises(Fenced):
            await running


async def test_the_head_is_told() -> None:
    """A running relay tells last sequence and chain on core NATS at once, and then every two seconds."""
    feed, bus = ListFeed(3), MemoryBus()
    heard: asyncio.Queue[Message] = asyncio.Queue()
    await bus.subscribe("sparrow.head.match.facts", heard.put)
    stop = asyncio.Event()
    running = asyncio.create_task(a_relay(feed, MemoryCheckpoint(), bus).run(1, stop))
    async with asyncio.timeout(20):
        message = await heard.get()
    stop.set()
    await running

    head = decode_head(message.data)
    assert head is not None
    assert (head.last_seq, head.chain) == (3, feed.entries[-1].chain)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"last_seq": -1, "chain": ""}', b'{"last_seq": 1}'])
def test_a_head_that_is_nonsense_is_no_head(data: bytes) -> None:
    """Anything else on the head's subject is ignored."""
    assert decode_head(data) is None
