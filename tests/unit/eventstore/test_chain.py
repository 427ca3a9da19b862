"""The chain: its exact definition, and every way a feed can be damaged."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.chain import CHAIN_START, Broken, link, verify_feed
from libs.eventstore.ordering import VersionOrder, place
from libs.eventstore.port import FeedHead
from tests.support.store_contract import CALLER, NOW, stream


def event(number: int, version: int, *, request_id: str | None = None) -> RecordedEvent:
    """Return a stored event."""
    return RecordedEvent(
        stream(number), version, Part.FACTS, "sparrow.test.noted.v1", 1, NOW, NOW + timedelta(seconds=1),
        CALLER, request_id, 0 if request_id is None else 1, b"data",
    )  # fmt: skip


EVENTS = [event(1, 1, request_id="r1"), event(2, 1), event(1, 2), event(2, 3)]
FEED = place(FeedHead(0, CHAIN_START), NOW, EVENTS)


def test_the_chain_is_defined_byte_by_byte() -> None:
    """A chain value is the SHA-256 over the previous one, length-prefixed columns and the raw data."""
    micros = 1_795_982_400_000_000
    columns = [
        b"\x01", (7).to_bytes(8), stream(1).bytes, (1).to_bytes(8), micros.to_bytes(8), micros.to_bytes(8),
        (micros + 1_000_000).to_bytes(8), (1).to_bytes(4), CALLER.bytes, (1).to_bytes(4),
        b"sparrow.test.noted.v1", b"r1",
    ]  # fmt: skip
    body = b"".join(len(column).to_bytes(4) + column for column in columns) + b"data"

    assert link(b"p" * 32, 7, NOW, EVENTS[0]) == hashlib.sha256(b"p" * 32 + body).digest()


def test_a_sound_feed_verifies_from_any_place() -> None:
    """A feed verifies from its beginning and from any entry on; an empty one has no last entry."""
    assert verify_feed(FEED, CHAIN_START) == FEED[-1]
    assert verify_feed(FEED[2:], FEED[1].chain, start_seq=2) == FEED[-1]
    assert verify_feed([], CHAIN_START) is None


@pytest.mark.parametrize(
    "change",
    [
        {"data": b"date"},
        {"type": "sparrow.test.other.v1"},
        {"schema_version": 2},
        {"occurred_at": NOW + timedelta(microseconds=1)},
        {"recorded_at": NOW},
        {"caller": UUID(int=0)},
        {"request_id": "r2"},
        {"request_id": None},
        {"request_events": 2},
        {"stream_id": stream(3)},
        {"version": 4},
        {"part": Part.MOVES},
    ],
    ids=str,
)
def test_a_change_of_any_column_breaks_the_chain(change: dict[str, object]) -> None:
    """Whatever is altered in a stored event, verification stops at it."""
    damaged = replace(FEED[0], event=replace(FEED[0].event, **change))  # type: ignore[arg-type]

    assert verify_feed([damaged, *FEED[1:]], CHAIN_START) == Broken(1, "its chain value is another")


@pytest.mark.parametrize(
    ("entries", "seq"),
    [
        ([FEED[0], FEED[2]], 3),
        ([FEED[0], FEED[2], FEED[1]], 3),
        ([FEED[0], FEED[0]], 1),
        ([FEED[0], replace(FEED[1], at=NOW - timedelta(seconds=1))], 2),
        (place(FeedHead(0, CHAIN_START), NOW, [event(1, 2), event(1, 1)]), 2),
    ],
    ids=["gap", "swap", "double", "back in time", "versions fall"],
)
def test_a_feed_out_of_order_is_broken(entries: list[FeedEntry], seq: int) -> None:
    """A gap, a swap, a repetition, a step back in time and falling versions are told with their place."""
    broken = verify_feed(entries, CHAIN_START)

    assert isinstance(broken, Broken)
    assert broken.seq == seq


def test_the_sequencer_refuses_falling_versions() -> None:
    """An event is never placed after a later one of its stream, in one batch or over several."""
    order = VersionOrder()
    order.check([event(1, 1), event(1, 3)])
    order.placed([event(1, 1), event(1, 3)])

    for events in ([event(1, 3)], [event(1, 2)], [event(2, 2), event(2, 1)]):
        with pytest.raises(AssertionError, match="would follow"):
            order.check(events)
