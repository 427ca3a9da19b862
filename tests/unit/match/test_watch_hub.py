"""Watchers of one process, on the twins of store and bus: order, lost hints, slow readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta
from itertools import count
from uuid import UUID

import pytest

from libs.bus.port import Message
from libs.bus.topology import live_subject
from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.following import Change, End, Heartbeat, Snapshot
from libs.following.hub import WatchHub
from libs.following.inbox import QUEUE_MAX
from libs.runtime.errors import Refused
from services.match.attempts.play import ATTEMPT_KIND
from services.match.wire.event_codec import EventCodec
from tests.support.attempts import ANA, BEN, ROW, leave, start
from tests.support.waiting import until
from tests.support.watched_attempt import ATTEMPT, PHONE, TABLET, AttemptSeen, Table


@pytest.fixture
async def table() -> Table:
    """Ana's attempt has started."""
    made = Table()
    await made.commit(start(ROW, "1m 2m 2m 1m"))
    return made


async def _read(stream: AsyncGenerator[AttemptSeen, None], number: int) -> list[AttemptSeen]:
    return [await asyncio.wait_for(anext(stream), 30) for _ in range(number)]


def _versions(seen: Sequence[AttemptSeen]) -> list[int]:
    return [each.version for each in seen]


async def test_what_this_process_commits_reaches_watchers_without_a_query(table: Table) -> None:
    """An offered change that is the next one is handed on at once."""
    stream = table.follow()
    [snapshot] = await _read(stream, 1)
    for change in await table.play(3):
        table.hub.offer(ATTEMPT, change)
    table.store.streams.clear()  # whoever asks the store now finds nothing

    assert isinstance(snapshot, Snapshot)
    assert _versions(await _read(stream, 3)) == [2, 3, 4]


async def test_a_gap_is_read_from_the_store(table: Table) -> None:
    """An offered change that is not the next one makes the hub read those between: none lost, none twice."""
    stream = table.follow()
    await _read(stream, 1)
    changes = await table.play(5)
    for change in (changes[4], changes[1], changes[4]):
        table.hub.offer(ATTEMPT, change)

    assert _versions(await _read(stream, 5)) == [2, 3, 4, 5, 6]


async def test_a_hint_on_the_bus_makes_the_hub_read(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process says that the attempt has moved; no look is due."""
    monkeypatch.setattr("libs.following.hub.LOOK_EVERY_S", 3_600)
    stop = asyncio.Event()
    running = asyncio.create_task(table.hub.run(stop))
    stream = table.follow()
    await _read(stream, 1)
    await table.play(2)
    await table.bus.send(live_subject(ATTEMPT), b"3")
    seen = await _read(stream, 2)
    stop.set()
    await running

    assert _versions(seen) == [2, 3]


async def test_nonsense_on_the_bus_changes_nothing(table: Table) -> None:
    """Anybody on the bus may say anything."""
    stop = asyncio.Event()
    running = asyncio.create_task(table.hub.run(stop))
    stream = table.follow()
    await _read(stream, 1)
    for subject in (str(live_subject(ATTEMPT)), "sparrow.live.nonsense", f"sparrow.seat.{ATTEMPT}"):
        for data in (b"", b"x", b"-1", b"9" * 40):
            await table.bus.send(subject, data)
    [change] = await table.play(1)
    table.hub.offer(ATTEMPT, change)
    stop.set()
    await running

    assert _versions(await _read(stream, 1)) == [2]


async def test_a_look_finds_what_no_hint_told(table: Table) -> None:
    """One question over all watched attempts finds those that have moved."""
    stream = table.follow()
    await _read(stream, 1)
    await table.play(3)
    await table.hub.look()

    assert _versions(await _read(stream, 3)) == [2, 3, 4]


async def test_one_look_is_one_query_and_none_when_nobody_watches(table: Table) -> None:
    """Never a poll per watcher."""
    asked: list[int] = []
    heads = table.store.heads

    async def counted(stream_ids: Sequence[UUID]) -> dict[UUID, int]:
        asked.append(len(stream_ids))
        return await heads(stream_ids)

    table.store.heads = counted  # type: ignore[method-assign]
    await table.hub.look()
    streams = [table.follow() for _ in range(20)]
    for stream in streams:
        await _read(stream, 1)
    await table.hub.look()

    assert asked == [1]


async def test_silence_is_broken_by_heartbeats() -> None:
    """A heartbeat carries the version at which the reader may resume."""
    table = Table(heartbeat_s=0.01)
    await table.commit(start(ROW, "1m 2m 2m 1m"))
    stream = table.follow()
    seen = await _read(stream, 3)

    assert seen[1:] == [Heartbeat(1), Heartbeat(1)]


async def test_a_slow_reader_is_told_and_can_resume(table: Table) -> None:
    """A full queue ends the stream with SLOW_READER; from its last token nothing is missing."""
    stream = table.follow()
    [snapshot] = await _read(stream, 1)
    for change in await table.play(QUEUE_MAX + 10):
        table.hub.offer(ATTEMPT, change)
    with pytest.raises(Refused) as error:
        await _read(stream, 1)
    resumed = await _read(table.follow(snapshot.version), QUEUE_MAX + 10)

    assert error.value.reason == "SLOW_READER"
    assert error.value.retry_after_ms is not None
    assert _versions(resumed) == list(range(2, QUEUE_MAX + 12))


async def test_a_fast_reader_is_not_hurt_by_a_slow_one(table: Table) -> None:
    """Each reader has a queue of its own."""
    slow, fast = table.follow(), table.follow()
    await _read(slow, 1)
    await _read(fast, 1)
    received: list[AttemptSeen] = []
    for change in await table.play(QUEUE_MAX * 2):
        table.hub.offer(ATTEMPT, change)
        received += await _read(fast, 1)

    assert _versions(received) == list(range(2, QUEUE_MAX * 2 + 2))


async def test_streams_opened_while_the_game_goes_on_miss_nothing(table: Table) -> None:
    """Snapshot plus updates are without a gap, whenever the stream was opened."""
    streams = []

    async def open_one() -> list[AttemptSeen]:
        stream = table.follow()
        seen = []
        async for each in stream:
            seen.append(each)
            if isinstance(each, End):
                return seen
        raise AssertionError("the stream ended without saying why")

    for _ in range(12):
        streams.append(asyncio.create_task(open_one()))
        for change in await table.play(2):
            table.hub.offer(ATTEMPT, change)
        await asyncio.sleep(0)
    table.hub.offer(ATTEMPT, await table.commit(leave()))
    for seen in await asyncio.wait_for(asyncio.gather(*streams), 5):
        versions = [each.version for each in seen if not isinstance(each, End)]
        assert versions == list(range(versions[0], 27))


async def test_another_session_ends_the_streams_of_the_first(table: Table) -> None:
    """In this process at once, in others by a word on the bus."""
    elsewhere = WatchHub(ATTEMPT_KIND, EventCodec(), table.store, table.bus, table.clock)
    stop = asyncio.Event()
    running = asyncio.create_task(elsewhere.run(stop))
    here, there = table.follow(), elsewhere.follow(ATTEMPT, ANA, PHONE, None)
    await _read(here, 1)
    await _read(there, 1)
    tablet = table.follow(session=TABLET)
    await _read(tablet, 1)
    ends = [*await _read(here, 1), *await _read(there, 1)]
    stop.set()
    await running

    assert ends == [End(1, "SEAT_TAKEN_OVER")] * 2


async def test_a_late_word_of_who_was_here_before_ends_nothing(table: Table) -> None:
    """The seat stays with who took it last, in whatever order processes hear of it."""
    stop = asyncio.Event()
    running = asyncio.create_task(table.hub.run(stop))
    words: list[Message] = []

    async def hear(message: Message) -> None:
        words.append(message)

    await table.bus.subscribe("sparrow.seat.*", hear)
    phone = table.follow()
    await _read(phone, 1)
    table.clock.advance(timedelta(milliseconds=1))
    tablet = table.follow(session=TABLET)
    await _read(tablet, 1)
    await until(lambda: len(words) == 2)
    await table.bus.send(words[0].subject, words[0].data)
    await table.bus.send(words[0].subject, b"no seat")
    await table.bus.send(words[0].subject, words[0].data[:32] + b"\xff" * 8)
    await until(lambda: len(words) == 5)
    for change in await table.play(1):
        table.hub.offer(ATTEMPT, change)
    seen = await _read(tablet, 1)
    stop.set()
    await running

    assert await _read(phone, 1) == [End(1, "SEAT_TAKEN_OVER")]
    assert [type(each) for each in seen] == [Change]


async def test_a_reader_who_comes_from_another_stream_keeps_its_age(table: Table) -> None:
    """Whoever took the seat since it began to read keeps it."""
    began = table.clock.now()
    table.clock.advance(timedelta(seconds=1))
    phone = table.follow(session=PHONE)
    await _read(phone, 1)
    older = table.hub.follow(ATTEMPT, ANA, TABLET, None, began)
    told = await _read(older, 1)
    [change] = await table.play(1)
    table.hub.offer(ATTEMPT, change)

    assert told == [End(1, "SEAT_TAKEN_OVER")]
    assert _versions(await _read(phone, 1)) == [2]


async def test_a_token_from_the_future_is_refused(table: Table) -> None:
    """A version that the attempt has not reached (a database restored from a backup, say)."""
    with pytest.raises(Refused) as error:
        await _read(table.follow(99), 1)

    assert error.value.reason == "RESUME_TOKEN_INVALID"


async def test_nothing_is_kept_once_nobody_watches(table: Table) -> None:
    """The last reader that goes takes the topic along, whichever way it goes."""
    for leave_by in count():
        stream = table.follow()
        await _read(stream, 1)
        assert table.hub.topic_count == 1
        if leave_by == 0:
            await stream.aclose()
        elif leave_by == 1:
            reading = asyncio.create_task(_read(stream, 1))
            await asyncio.sleep(0)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await stream.aclose()
        else:
            table.hub.offer(ATTEMPT, await table.commit(leave()))
            assert isinstance((await _read(stream, 2))[1], End)
            with pytest.raises(StopAsyncIteration):
                await anext(stream)
            break
        assert table.hub.topic_count == 0
    assert table.hub.topic_count == 0


async def test_draining_opens_no_stream(table: Table) -> None:
    """A server that stops sends nobody in."""
    await table.hub.drain()
    with pytest.raises(Refused) as error:
        await _read(table.follow(), 1)

    assert error.value.reason == "DRAINING"


async def test_two_accounts_at_one_table_do_not_take_each_others_seats(table: Table) -> None:
    """Only other sessions of the same account end."""
    hers = table.follow()
    await _read(hers, 1)
    his = table.hub.follow(ATTEMPT, BEN, TABLET, None)
    await _read(his, 1)
    for change in await table.play(1):
        table.hub.offer(ATTEMPT, change)

    assert [type(each) for each in [*await _read(hers, 1), *await _read(his, 1)]] == [Change, Change]


async def test_a_stream_that_begins_while_the_drain_comes_is_not_forgotten(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused like those after it, instead of waiting for an End that only watchers were told."""
    load, let_go = table.store.load, asyncio.Event()

    async def load_late(stream_id: UUID, *, after_version: int = 0) -> list[RecordedEvent]:
        await let_go.wait()
        return await load(stream_id, after_version=after_version)

    monkeypatch.setattr(table.store, "load", load_late)
    reading = asyncio.create_task(_read(table.follow(), 1))
    await until(lambda: table.hub.topic_count == 1)
    await table.hub.drain()
    let_go.set()
    with pytest.raises(Refused) as error:
        await reading

    assert error.value.reason == "DRAINING"
    assert table.hub.topic_count == 0
