"""Appending: all streams or none, at the expected versions, once per request. Both adapters."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from libs.eventsourcing.envelope import STREAM_EVENTS_MAX, Part, RecordedEvent
from libs.eventstore.port import Appended, Conflict, Repeated, RequestReused
from tests.support.store_contract import (
    CALLER,
    NOW,
    OTHER_CALLER,
    Harness,
    append,
    fact,
    move,
    request,
    stream,
    texts,
    to,
)


async def test_appended_events_are_loaded_as_they_were_written(harness: Harness) -> None:
    """What append answers and what load returns are the same events, in both parts, key on the first one."""
    key = request("r1")
    result = await append(harness.store, to(1, 0, move("a"), fact("b")), key=key)

    assert isinstance(result, Appended)
    assert await harness.store.load(stream(1)) == list(result.events)
    assert result.events[0] == RecordedEvent(
        stream(1), 1, Part.MOVES, "sparrow.test.moves_noted.v1", 1, NOW, NOW + timedelta(seconds=1), CALLER,
        "r1", 2, b"a",
    )  # fmt: skip
    assert (result.events[1].request_id, result.events[1].request_events) == (None, 0)


async def test_load_returns_events_after_a_version(harness: Harness) -> None:
    """A cached state asks only for what is new; an unknown stream is empty."""
    await append(harness.store, to(1, 0, *(fact(str(n)) for n in range(5))))

    assert texts(await harness.store.load(stream(1), after_version=3)) == ["3", "4"]
    assert await harness.store.load(stream(2)) == []


async def test_a_stale_version_is_a_conflict_and_stores_nothing(harness: Harness) -> None:
    """A head that stands elsewhere refuses the append, whether behind, ahead or not there at all."""
    await append(harness.store, to(1, 0, fact("a"), fact("b")))

    for expected in (0, 1, 3):
        assert await append(harness.store, to(1, expected, fact("late"))) == Conflict(stream(1))
    assert await append(harness.store, to(2, 1, fact("early"))) == Conflict(stream(2))
    assert texts(await harness.store.load(stream(1))) == ["a", "b"]
    assert await harness.store.heads([stream(1), stream(2)]) == {stream(1): 2}


async def test_an_append_to_several_streams_is_all_or_nothing(harness: Harness) -> None:
    """One stale stream among three leaves the other two untouched, and the key free."""
    await append(harness.store, to(2, 0, fact("a")))
    appends = (to(3, 0, fact("c")), to(2, 0, fact("b")), to(1, 0, fact("a")))

    assert await append(harness.store, *appends, key=request("r1")) == Conflict(stream(2))
    assert await harness.store.heads([stream(n) for n in (1, 2, 3)]) == {stream(2): 1}
    assert await harness.store.find_request(CALLER, "r1") is None
    assert await harness.sequence() == 1


async def test_the_key_stands_on_the_first_event_as_given(harness: Harness) -> None:
    """Heads are locked in the order of ids, yet the command's own first event carries its key and count."""
    appends = (to(9, 0, fact("first"), fact("second")), to(1, 0, fact("other")))
    result = await append(harness.store, *appends, key=request("r1"))

    assert isinstance(result, Appended)
    assert [(e.stream_id, e.request_id, e.request_events) for e in result.events] == [
        (stream(9), "r1", 2),
        (stream(9), None, 0),
        (stream(1), None, 0),
    ]
    found = await harness.store.find_request(CALLER, "r1")
    assert found == Repeated(request("r1").sha256, stream(9), 1, 2, None)


async def test_a_repeat_stores_nothing_and_tells_what_was_done(harness: Harness) -> None:
    """The same key and body later, even with versions that fit by now, gives the first outcome."""
    key = request("r1")
    await append(harness.store, to(1, 0, fact("a")))
    await append(harness.store, to(1, 1, fact("b"), fact("c")), key=key)
    repeat = await append(harness.store, to(1, 3, fact("b"), fact("c")), key=key)

    assert repeat == Repeated(key.sha256, stream(1), 2, 2, None)
    assert texts(await harness.store.load(stream(1))) == ["a", "b", "c"]


async def test_a_repeat_is_found_before_any_conflict(harness: Harness) -> None:
    """Read by key comes first: a repeat with a stale version is a repeat, not a conflict."""
    key = request("r1")
    await append(harness.store, to(1, 0, fact("a")), key=key)

    assert isinstance(await append(harness.store, to(1, 0, fact("a")), key=key), Repeated)


async def test_another_body_under_the_same_key_is_refused(harness: Harness) -> None:
    """A key is used once, on whatever stream; another caller's equal id is another key."""
    await append(harness.store, to(1, 0, fact("a")), key=request("r1"))

    other_body = request("r1", "other body")
    assert await append(harness.store, to(1, 1, fact("b")), key=other_body) == RequestReused()
    assert await append(harness.store, to(2, 0, fact("b")), key=other_body) == RequestReused()
    assert await harness.store.keep_reply(other_body, b"reply", at=NOW) == RequestReused()
    result = await append(harness.store, to(3, 0, fact("c")), key=request("r1", caller=OTHER_CALLER))
    assert isinstance(result, Appended)


async def test_a_kept_reply_comes_back_with_the_events_it_belongs_to(harness: Harness) -> None:
    """A creating command's repeat, made with another new stream, gets the first stream and its reply."""
    key = request("create")
    await append(harness.store, to(1, 0, fact("a")), key=key, reply=b"attempts/1")
    repeat = await append(harness.store, to(2, 0, fact("a")), key=key, reply=b"attempts/2")

    assert repeat == Repeated(key.sha256, stream(1), 1, 1, b"attempts/1")
    assert await harness.store.load(stream(2)) == []


async def test_a_reply_without_events_is_kept_once(harness: Harness) -> None:
    """A command that appends nothing has its reply kept, and both tables share one key space."""
    key = request("r1")

    assert await harness.store.keep_reply(key, b"one", at=NOW) is None
    kept = Repeated(key.sha256, None, 0, 0, b"one")
    assert await harness.store.keep_reply(key, b"two", at=NOW) == kept
    assert await append(harness.store, to(1, 0, fact("a")), key=key) == kept
    assert await harness.store.find_request(CALLER, "r1") == kept


@pytest.mark.parametrize("same_stream", [True, False])
async def test_the_same_request_many_times_at_once_is_stored_once(
    harness: Harness, same_stream: bool
) -> None:
    """Of equal requests in flight together one is Appended and all others are Repeated, never an error."""
    key = request("r1")
    results = await asyncio.gather(
        *(
            append(harness.store, to(1 if same_stream else n, 0, fact("a")), key=key, reply=b"reply")
            for n in range(1, 13)
        )
    )

    appended = [result for result in results if isinstance(result, Appended)]
    repeated = {result for result in results if isinstance(result, Repeated)}
    assert len(appended) == 1
    first = appended[0].events[0]
    assert repeated == {Repeated(key.sha256, first.stream_id, 1, 1, b"reply")}
    assert await harness.sequence() == 1


async def test_different_bodies_under_one_key_at_once_store_one(harness: Harness) -> None:
    """Of different requests under one key in flight together one wins and the others are refused."""
    results = await asyncio.gather(
        *(append(harness.store, to(n, 0, fact("a")), key=request("r1", f"body {n}")) for n in range(1, 9))
    )

    assert sorted(type(result).__name__ for result in results) == ["Appended"] + ["RequestReused"] * 7


async def test_writers_at_the_same_version_have_one_winner(harness: Harness) -> None:
    """Of appends in flight together at one version exactly one is stored."""
    results = await asyncio.gather(
        *(append(harness.store, to(1, 0, fact(str(n))), key=request(f"r{n}")) for n in range(12))
    )

    assert sum(isinstance(result, Appended) for result in results) == 1
    assert results.count(Conflict(stream(1))) == 11
    assert await harness.store.heads([stream(1)]) == {stream(1): 1}


async def test_appends_over_crossed_streams_never_deadlock(harness: Harness) -> None:
    """Commands that name the same streams in opposite orders all end, one winner per round."""
    for version in range(5):
        results = await asyncio.gather(
            *(
                append(harness.store, *(to(n, version, fact("x")) for n in order))
                for order in ((1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 1, 2))
            )
        )
        assert sum(isinstance(result, Appended) for result in results) == 1


async def test_a_stream_holds_five_thousand_events(harness: Harness) -> None:
    """The event that would be number 5,001 is a mistake of ours, not a stored fact."""
    await append(harness.store, to(1, 0, *(fact("x") for _ in range(STREAM_EVENTS_MAX))))

    with pytest.raises(AssertionError, match="full"):
        await append(harness.store, to(1, STREAM_EVENTS_MAX, fact("x")))


def test_an_event_holds_sixteen_kibibytes() -> None:
    """An event of 16 KiB is fine, one byte more is a mistake of ours."""
    fact("x" * 16_384)

    with pytest.raises(AssertionError, match="16385"):
        fact("x" * 16_385)
