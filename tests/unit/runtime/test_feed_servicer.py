"""FeedService over real gRPC: whole entries, pages, and refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from libs.eventsourcing.envelope import Part
from libs.pb.sparrow.event.v1 import event_pb2, event_service_pb2_grpc
from libs.pb.sparrow.event.v1 import event_service_pb2 as pb
from libs.runtime.errors import Refused
from libs.runtime.feed_reader import GrpcFeedReader
from libs.runtime.feed_servicer import FeedServicer
from libs.runtime.feed_wire import entry_from_wire
from tests.support.feeds import ListFeed, entry

FACTS = event_pb2.PART_FACTS
CONTEXT: Any = None  # the handlers ask nothing of it


@pytest.fixture
def feed() -> ListFeed:
    """A feed of 1,200 entries."""
    return ListFeed(1_200)


@pytest.fixture
def servicer(feed: ListFeed) -> FeedServicer:
    """The servicer of a process that holds the feed of `match`."""
    return FeedServicer("test", {"match": feed})


@pytest.fixture
async def channel(servicer: FeedServicer) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server with this servicer."""
    server = grpc.aio.server()
    servicer.register(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as opened:
        yield opened
    await server.stop(None)


def reading(**changes: Any) -> pb.ReadFeedRequest:
    """Return a good request, changed."""
    return pb.ReadFeedRequest(**{"service": "match", "part": FACTS, "from_sequence": 1, **changes})


async def test_a_reader_gets_what_the_owner_stored(feed: ListFeed, channel: grpc.aio.Channel) -> None:
    """Over the wire an entry stays what it was, in every field."""
    page = await GrpcFeedReader(channel, "match").read_feed(Part.FACTS, 3, 5)

    assert list(page.entries) == feed.entries[2:5]
    assert page.last_seq == 1_200


async def test_a_head_is_told(feed: ListFeed, channel: grpc.aio.Channel) -> None:
    """GetFeedHead tells last sequence and chain; an empty feed has 0 and zeros."""
    stub = event_service_pb2_grpc.FeedServiceStub(channel)
    head = await stub.GetFeedHead(pb.GetFeedHeadRequest(service="match", part=FACTS))
    feed.entries.clear()
    empty = await stub.GetFeedHead(pb.GetFeedHeadRequest(service="match", part=FACTS))

    assert (head.last_sequence, len(head.chain)) == (1_200, 32)
    assert (empty.last_sequence, empty.chain) == (0, bytes(32))


@pytest.mark.parametrize(
    ("changes", "first", "count"),
    [
        ({}, 1, 500),
        ({"page_size": 7}, 1, 7),
        ({"page_size": 1_000_000}, 1, 1_000),
        ({"from_sequence": 1_199}, 1_199, 2),
        ({"from_sequence": 10, "to_sequence": 10}, 10, 1),
        ({"from_sequence": 1_201}, 0, 0),
    ],
)
async def test_pages_are_clamped(
    changes: dict[str, int], first: int, count: int, servicer: FeedServicer
) -> None:
    """0 entries asked for means 500, more than 1,000 means 1,000; beyond the head there is nothing."""
    response = await servicer.ReadFeed(reading(**changes), CONTEXT)

    assert len(response.entries) == count
    assert not count or response.entries[0].sequence == first
    assert response.last_sequence == 1_200


async def test_a_page_fits_a_message(feed: ListFeed, servicer: FeedServicer) -> None:
    """Large events make short pages: below what a gRPC client takes, and never empty."""
    feed.entries = [entry(seq, data=bytes(16 * 1024)) for seq in range(1, 1_001)]
    response = await servicer.ReadFeed(reading(page_size=1_000), CONTEXT)

    assert 1 <= len(response.entries) < 200
    assert response.ByteSize() < 4 * 1024 * 1024
    assert [one.sequence for one in response.entries] == list(range(1, len(response.entries) + 1))


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"service": "nobody"}, "NOT_FOUND", "service"),
        ({"service": ""}, "NOT_FOUND", "service"),
        ({"part": 0}, "FIELD_INVALID", "part"),
        ({"part": 77}, "FIELD_INVALID", "part"),
        ({"from_sequence": 0}, "FIELD_INVALID", "from_sequence"),
        ({"from_sequence": -1}, "FIELD_INVALID", "from_sequence"),
        ({"to_sequence": -1}, "FIELD_INVALID", "to_sequence"),
        ({"from_sequence": 9, "to_sequence": 8}, "FIELD_INVALID", "to_sequence"),
        ({"page_size": -1}, "FIELD_INVALID", "page_size"),
    ],
)
async def test_nonsense_is_refused_with_its_field(
    changes: dict[str, Any], reason: str, field: str, servicer: FeedServicer
) -> None:
    """Each wrong argument is refused with its reason and its name."""
    with pytest.raises(Refused) as refused:
        await servicer.ReadFeed(reading(**changes), CONTEXT)

    assert refused.value.reason == reason
    assert refused.value.metadata["field"] == field


def test_a_wire_entry_without_ids_is_nonsense() -> None:
    """An empty message is no entry."""
    with pytest.raises(ValueError, match="hexadecimal"):
        entry_from_wire(event_pb2.FeedEntry(), Part.FACTS)
