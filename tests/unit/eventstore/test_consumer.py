"""The consumer: in order, once, and never silent about what it cannot do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from libs.bus.envelope import to_message
from libs.bus.memory import MemoryBus
from libs.bus.topology import feed_stream, head_subject
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.consumer import Consumer
from libs.eventstore.heads import encode_head
from libs.eventstore.patience import Patience
from libs.eventstore.port import FeedHead, Fenced
from tests.support.feeds import OTHER, SOURCE, WON, ListFeed, MemoryCheckpoint
from tests.support.waiting import until

STREAM = feed_stream("match", Part.FACTS)
HASTY = Patience(
    idle_wait_s=0.02, missing_wait_s=0.01, silence_s=60, outage_poll_s=0.02, deaf_s=0.05, retry_first_s=0.02
)


class Scene:
    """A feed, a bus, a handler and a consumer between them."""

    def __init__(self, length: int = 0, patience: Patience = HASTY) -> None:
        self.feed, self.bus, self.kept = ListFeed(length), MemoryBus(), MemoryCheckpoint()
        self.consumer = Consumer(
            self.bus, self.feed, self.kept, name="c", source=SOURCE, part=Part.FACTS,
            declared={WON: 1}, handle=self.handle, patience=patience,
        )  # fmt: skip
        self.broken: Exception | None = None
        self.stop = asyncio.Event()

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Keep the entries, unless the test wants an error."""
        if self.broken is not None:
            raise self.broken
        await self.kept.handle(entries, epoch)

    async def publish(self, *seqs: int) -> None:
        """Put entries into the stream, in any order."""
        await self.bus.ensure_stream(STREAM)
        for seq in seqs:
            message = to_message(self.feed.entries[seq - 1], SOURCE)
            await self.bus.publish(message.subject, message.data, message.headers, f"{seq}-{len(seqs)}")

    async def until(self, last: int) -> None:
        """Wait until the consumer stands at `last`."""
        await until(lambda: self.consumer.progress.last >= last, every_s=0.001)

    @asynccontextmanager
    async def following(self, epoch: int = 1) -> AsyncIterator[asyncio.Task[None]]:
        """Run the consumer; it must end in peace."""
        running = asyncio.create_task(self.consumer.run(epoch, self.stop))
        await asyncio.sleep(0.03)
        yield running
        self.stop.set()
        await running

    @property
    def done(self) -> list[int]:
        """The sequences that were handled, in their order."""
        return [seq for seq, _ in self.kept.effects]


async def test_history_comes_from_the_owner_and_news_from_the_bus() -> None:
    """A new consumer reads what is older than itself from the owner, page by page, then follows the bus."""
    scene = Scene(250)
    async with scene.following():
        await scene.until(250)
        scene.feed.grow(2)
        await scene.publish(251, 252)
        await scene.until(252)

    assert scene.done == list(range(1, 253))
    assert scene.consumer.progress.from_bus == 2


async def test_a_hole_is_read_from_the_owner() -> None:
    """An entry that arrives before its predecessor makes the consumer fetch the predecessor."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow(5)
        await scene.publish(5, 2)
        await scene.until(5)

    assert scene.done == [1, 2, 3, 4, 5]


async def test_a_head_beyond_what_arrived_is_read_from_the_owner() -> None:
    """What the bus lost at the end of the feed is fetched once the head is heard."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow(3)
        head = encode_head(await scene.feed.head(Part.FACTS))
        await scene.bus.send(head_subject("match", Part.FACTS), head)
        await scene.until(3)

    assert scene.done == [1, 2, 3]


async def test_a_stream_of_another_history_is_not_read() -> None:
    """A server that came back with facts of a lost database, though they would link: the owner is asked."""
    scene = Scene(2)
    lost = ListFeed(2)
    lost.grow(6, data=b"of a database that is gone")
    async with scene.following():
        await scene.until(2)
        scene.bus.down = True
        scene.bus._streams[STREAM.name].messages += [to_message(one, SOURCE) for one in lost.entries]
        scene.bus.down = False
        await asyncio.sleep(0.05)
        assert scene.done == [1, 2]
        scene.feed.grow(4)
        await scene.until(6)
        await scene.bus.remove_stream(STREAM.name)  # as the relay does
        await until(lambda: STREAM.name in scene.bus._streams, every_s=0.001)
        await asyncio.sleep(0.02)
        scene.feed.grow()
        await scene.publish(7)
        await scene.until(7)

    assert scene.kept.effects == [(one.seq, one.event.data) for one in scene.feed.entries]
    assert scene.consumer.progress.from_bus == 1


async def test_entries_that_do_not_link_are_dropped() -> None:
    """Whatever brought entries of another history under the next sequences: the owner's are handled."""
    scene = Scene(2)
    other = ListFeed()
    other.grow(8, data=b"another")
    async with scene.following():
        await scene.until(2)
        for one in other.entries[2:]:
            message = to_message(one, SOURCE)
            await scene.bus.publish(message.subject, message.data, message.headers, f"other{one.seq}")
        await asyncio.sleep(0.05)
        assert scene.done == [1, 2]
        scene.feed.grow(4)
        await scene.publish(3, 4, 5, 6)
        await scene.until(6)

    assert scene.kept.effects == [(one.seq, one.event.data) for one in scene.feed.entries]
    assert scene.consumer.progress.strangers > 0


async def test_a_head_that_was_never_true_is_forgotten() -> None:
    """The owner has the last word on where its feed ends: nobody stays behind for ever."""
    scene = Scene(2)
    async with scene.following():
        await scene.until(2)
        far, reads = encode_head(FeedHead(1_000, bytes(32))), scene.feed.reads
        await scene.bus.send(head_subject("match", Part.FACTS), far)
        await until(lambda: scene.feed.reads > reads, every_s=0.001)
        await until(lambda: scene.consumer.progress.lag == 0, every_s=0.001)


@pytest.mark.parametrize("length", [3, 8], ids=["shorter", "longer"])
async def test_an_owner_with_another_history_stops_the_consumer_and_is_told(length: int) -> None:
    """A feed that is not the one followed so far is not followed, whether it is behind or has passed us."""
    scene = Scene(5)
    async with scene.following():
        await scene.until(5)
    scene.feed, before = ListFeed(2), list(scene.kept.effects)
    scene.feed.grow(length - 2, data=b"another")
    scene.consumer._owner = scene.feed
    scene.stop = asyncio.Event()
    async with scene.following(epoch=2):
        await until(lambda: "FeedDiverged" in (scene.consumer.progress.stopped or ""), every_s=0.001)

    assert scene.kept.effects == before


async def test_a_checkpoint_without_a_chain_value_takes_the_owners() -> None:
    """One that was kept before chain values were goes on from its sequence."""
    scene = Scene(5)
    scene.kept.seq = 3
    async with scene.following():
        await scene.until(5)

    assert scene.done == [4, 5]


async def test_silence_is_no_proof() -> None:
    """When nothing at all is heard, the owner is asked."""
    scene = Scene(patience=Patience(idle_wait_s=0.01, silence_s=0.05))
    async with scene.following():
        scene.feed.grow(3)
        await scene.until(3)

    assert scene.done == [1, 2, 3]


async def test_without_a_bus_the_owner_is_polled() -> None:
    """While the bus is away facts go on to arrive, only later."""
    scene = Scene()
    async with scene.following():
        scene.bus.down = True
        await asyncio.sleep(0.02)
        scene.feed.grow(3)
        await scene.until(3)
        scene.bus.down = False

    assert scene.done == [1, 2, 3]


async def test_without_an_owner_the_bus_is_enough() -> None:
    """What arrives in order needs no owner; a hole waits until the owner is back."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow(5)
        scene.feed.away = True
        await scene.publish(1, 2)
        await scene.until(2)
        await scene.publish(4, 5)
        await asyncio.sleep(0.05)
        assert scene.done == [1, 2]
        scene.feed.away = False
        await scene.until(5)

    assert scene.done == [1, 2, 3, 4, 5]


async def test_a_wiped_stream_costs_nothing() -> None:
    """After a wipe stream and durable are made again; old entries that come again are dropped."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow(2)
        await scene.publish(1, 2)
        await scene.until(2)
        scene.bus.wipe()
        await asyncio.sleep(0.05)
        scene.feed.grow()
        await scene.publish(1, 2, 3)
        await scene.until(3)

    assert scene.done == [1, 2, 3]


async def test_types_that_are_not_declared_are_skipped_and_counted() -> None:
    """They reach no handler, and the checkpoint passes over them when there is time."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow()
        scene.feed.grow(2, type_=OTHER)
        await scene.publish(1, 2, 3)
        await scene.until(3)
        await asyncio.sleep(0.05)

    assert scene.done == [1]
    assert scene.consumer.skipped == {OTHER: 2}
    assert scene.kept.seq == 3


async def test_a_newer_version_stops_the_consumer_and_says_so() -> None:
    """What stands before it is handled; it and what follows are not, until a consumer comes that knows it."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow()
        scene.feed.grow(schema_version=2)
        scene.feed.grow()
        await scene.publish(1, 2, 3)
        await scene.until(1)
        await asyncio.sleep(0.05)
        assert "version 2" in (scene.consumer.progress.stopped or "")
        assert scene.consumer.progress.last == 1

    assert scene.done == [1]


async def test_an_error_while_applying_stops_and_is_tried_again() -> None:
    """The consumer says why it stands, does not acknowledge, and goes on by itself when the error is gone."""
    scene = Scene()
    async with scene.following():
        scene.broken = ZeroDivisionError("an error of ours")
        scene.feed.grow(3)
        await scene.publish(1, 2, 3)
        await asyncio.sleep(0.05)
        assert "ZeroDivisionError" in (scene.consumer.progress.stopped or "")
        assert scene.done == []
        scene.broken = None
        await scene.until(3)
        assert scene.consumer.progress.stopped is None

    assert scene.done == [1, 2, 3]


async def test_a_foreign_or_damaged_message_stops_nobody() -> None:
    """What is not an entry of this source is acknowledged and dropped."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow()
        message = to_message(scene.feed.entries[0], SOURCE)
        await scene.bus.publish(message.subject, b"", {}, "damaged")
        foreign = {**message.headers, "ce-source": "elsewhere/match"}
        await scene.bus.publish(message.subject, b"other", foreign, "foreign")
        await scene.publish(1)
        await scene.until(1)

    assert scene.kept.effects == [(1, b"1")]


async def test_a_durable_that_delivers_nothing_is_made_anew() -> None:
    """When the owner has news and the bus brings none for long, the durable consumer is replaced."""
    scene = Scene()
    async with scene.following():
        old = scene.bus._streams[STREAM.name].durables["c"]
        await asyncio.sleep(0.06)
        scene.feed.grow()
        await scene.bus.send(
            head_subject("match", Part.FACTS), encode_head(await scene.feed.head(Part.FACTS))
        )
        await scene.until(1)
        await asyncio.sleep(0.03)
        assert old.gone
        scene.feed.grow()
        await scene.publish(2)
        await scene.until(2)

    assert scene.consumer.progress.recreated == 1
    assert scene.done == [1, 2]


async def test_a_fenced_consumer_ends() -> None:
    """When a later epoch has the checkpoint, the consumer raises Fenced, having done nothing."""
    scene = Scene()
    running = asyncio.create_task(scene.consumer.run(1, scene.stop))
    await asyncio.sleep(0.02)
    await scene.kept.claim(2)
    scene.feed.grow()
    await scene.publish(1)
    async with asyncio.timeout(20):
        with pytest.raises(Fenced):
            await running

    assert scene.done == []


async def test_everything_done_is_acknowledged() -> None:
    """After the effects nothing is out any more, duplicates included."""
    scene = Scene()
    async with scene.following():
        scene.feed.grow(3)
        await scene.publish(1, 2, 2, 3)
        await scene.publish(1)
        await scene.until(3)
        await asyncio.sleep(0.05)
        assert scene.bus._streams[STREAM.name].durables["c"].out == {}
