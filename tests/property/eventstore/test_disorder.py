"""Whatever the bus does, a handler ends where in-order delivery ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from random import Random

import pytest
import structlog.testing
from hypothesis import given
from hypothesis import strategies as st

from libs.bus.port import BusUnavailable
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START
from libs.eventstore.consumer import Consumer
from libs.eventstore.inbox import Inbox
from libs.eventstore.pace import Pace
from libs.eventstore.patience import Patience
from libs.eventstore.relay import Relay
from tests.support.disorder import DisorderlyBus
from tests.support.feeds import OTHER, SOURCE, WON, ListFeed, MemoryCheckpoint
from tests.support.waiting import until

SEEDS = range(50)
HASTY = Patience(
    idle_wait_s=0.005,
    missing_wait_s=0.003,
    silence_s=0.02,
    outage_poll_s=0.01,
    deaf_s=0.05,
    retry_first_s=0.002,
    retry_max_s=0.01,
)


THIRTY = ListFeed(30).entries


class Moody(MemoryCheckpoint):
    """A handler whose transaction fails now and then, before the commit or right after it."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self._random = random

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Handle, or fail on the one side or the other."""
        mood = self._random.random()
        if mood < 0.05:
            raise ConnectionResetError("before the commit")
        await super().handle(entries, epoch)
        if mood > 0.95:
            raise ConnectionResetError("committed, and nobody was told")


async def publish_in_spurts(feed: ListFeed, bus: DisorderlyBus, random: Random) -> None:
    """Grow the feed and relay it; at times the stream is wiped, ids are forgotten, the line is cut."""
    relay = Relay(feed, MemoryCheckpoint(), bus, SOURCE, Part.FACTS, pace=Pace(1, 1))
    for _ in range(12):
        for _ in range(random.randrange(30)):
            feed.grow(type_=random.choice((WON, WON, OTHER)))
        mishap = random.random()
        if mishap < 0.1:
            bus.wipe()
        elif mishap < 0.2:
            bus.forget_ids()
        bus.down = 0.2 < mishap < 0.3
        try:
            await relay.inspect()
            while await relay.step(0):
                pass
        except BusUnavailable:
            await asyncio.sleep(0.002)
        bus.down = False
        await asyncio.sleep(0.002)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Errors are the point here; their tracebacks would take most of the time."""
    with structlog.testing.capture_logs():
        yield


@pytest.mark.parametrize("seed", SEEDS)
async def test_disorder_changes_nothing(seed: int) -> None:
    """Duplicates, loss, lost acknowledgements, wipes and failing transactions: always the same result."""
    random = Random(seed)
    feed, bus, kept = ListFeed(), DisorderlyBus(random, ack_wait_s=0.02), Moody(random)
    consumer = Consumer(
        bus, feed, kept, name="c", source=SOURCE, part=Part.FACTS, declared={WON: 1}, handle=kept.handle,
        batch_max=20, patience=HASTY,
    )  # fmt: skip
    stop = asyncio.Event()
    running = asyncio.create_task(consumer.run(1, stop))
    await publish_in_spurts(feed, bus, random)
    progress = consumer.progress
    await until(lambda: progress.last == len(feed.entries) and progress.stopped is None, 20, every_s=0.002)
    stop.set()
    await running

    in_order = [(one.seq, one.event.data) for one in feed.entries if one.event.type == WON]
    assert kept.effects == in_order, f"seed {seed}"


@given(st.permutations(range(1, 31)), st.integers(1, 40), st.integers(1, 7))
def test_an_inbox_gives_each_entry_once_in_order(order: Sequence[int], waiting_max: int, limit: int) -> None:
    """Offered in any order, entries come out in the feed's; what was dropped leaves a hole with a name."""
    inbox, given_out = Inbox(0, CHAIN_START, waiting_max), []
    for seq in order:
        inbox.offer(THIRTY[seq - 1])
        inbox.offer(THIRTY[seq - 1])
        while run := inbox.ready(limit):
            given_out += [one.seq for one in run]
            inbox.done(run[-1].seq)
        hole = inbox.hole_end()
        assert hole is None or hole > inbox.last

    assert given_out == list(range(1, inbox.last + 1))
    assert inbox.head == 30
    assert inbox.is_behind == (inbox.last < 30)
    assert waiting_max < 30 or inbox.last == 30
