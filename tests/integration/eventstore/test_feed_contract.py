"""Sequencing: gapless, chained, monotone in time, in the order of each stream. Both adapters."""

from __future__ import annotations

import asyncio

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.port import FeedHead, Fenced
from tests.support.store_contract import Harness, append, fact, move, stream, texts, to


async def test_an_empty_feed_ends_at_zero(harness: Harness) -> None:
    """A feed begins with seq 1; before that its head is 0 with a chain of zeros."""
    assert await harness.feed.head(Part.FACTS) == FeedHead(0, CHAIN_START)
    assert await harness.feed.read(Part.FACTS, 1) == []
    assert await harness.sequence() == 0


async def test_events_come_to_the_feed_of_their_part(harness: Harness) -> None:
    """Each part counts by itself, and an entry holds exactly the stored event."""
    await append(harness.store, to(1, 0, move("a"), fact("b"), move("c")))
    await append(harness.store, to(2, 0, fact("d")))

    assert await harness.sequence() == 4
    moves, facts = [await harness.feed.read(part, 1) for part in (Part.MOVES, Part.FACTS)]
    assert [(entry.seq, entry.event.data) for entry in moves] == [(1, b"a"), (2, b"c")]
    assert [(entry.seq, entry.event.data) for entry in facts] == [(1, b"b"), (2, b"d")]
    stored = await harness.store.load(stream(1))
    assert [moves[0].event, facts[0].event, moves[1].event] == stored


async def test_the_head_is_the_last_entry_and_the_chain_verifies(harness: Harness) -> None:
    """Over many rounds the feed has no gap, time never falls, and every chain value is right."""
    for version in range(10):
        await append(harness.store, *(to(n, version, fact(f"{n}/{version}")) for n in (1, 2, 3)))
        await harness.sequence()
    entries = await harness.feed.read(Part.FACTS, 1)

    assert verify_feed(entries, CHAIN_START) == entries[-1]
    assert await harness.feed.head(Part.FACTS) == FeedHead(30, entries[-1].chain)


async def test_a_range_of_the_feed_is_read(harness: Harness) -> None:
    """From and to are inclusive; the limit cuts; before the beginning and after the end there is nothing."""
    await append(harness.store, to(1, 0, *(fact(str(n)) for n in range(1, 10))))
    await harness.sequence()

    async def seqs(first: int, last: int | None = None, *, limit: int = 500) -> list[int]:
        return [entry.seq for entry in await harness.feed.read(Part.FACTS, first, last, limit=limit)]

    assert await seqs(3, 5) == [3, 4, 5]
    assert await seqs(7) == [7, 8, 9]
    assert await seqs(2, limit=3) == [2, 3, 4]
    assert await seqs(0, 1) == [1]
    assert await seqs(10) == await seqs(5, 4) == []


async def test_a_live_sequencer_keeps_every_event_in_stream_order(harness: Harness) -> None:
    """While writers append, the feed takes everything once, and each stream's versions rise in it."""

    async def write(number: int) -> None:
        for version in range(30):
            await append(harness.store, to(number, version, fact(str(version))))

    writers = asyncio.gather(*(write(n) for n in range(1, 9)))
    while not writers.done():
        await harness.sequence()
        await asyncio.sleep(0.002)
    await writers
    await harness.sequence()
    entries = await harness.feed.read(Part.FACTS, 1)

    assert len(entries) == 240
    assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)
    for number in range(1, 9):
        mine = [entry.event for entry in entries if entry.event.stream_id == stream(number)]
        assert texts(mine) == [str(version) for version in range(30)]


async def test_a_sequencer_of_an_earlier_epoch_is_fenced(harness: Harness) -> None:
    """After a later epoch began, an earlier one moves nothing; the later one goes on."""
    await append(harness.store, to(1, 0, fact("a")))
    await harness.sequence(epoch=1)
    await harness.sequence(epoch=2)
    await append(harness.store, to(1, 1, fact("b")))

    with pytest.raises(Fenced):
        await harness.sequence(epoch=1)
    assert await harness.sequence(epoch=2) == 1
