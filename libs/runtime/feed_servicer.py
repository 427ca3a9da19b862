"""FeedService: the feeds of the services in this process, for consumers that miss entries, and auditors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import grpc

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.port import Feed
from libs.pb.sparrow.event.v1 import event_pb2, event_service_pb2_grpc
from libs.pb.sparrow.event.v1 import event_service_pb2 as pb
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.feed_wire import PART_FROM_WIRE, entry_to_wire
from libs.runtime.paging import page_size
from libs.runtime.service import Service

GRPC_NAME = "sparrow.event.v1.FeedService"
PAGE_DEFAULT, PAGE_MAX = 500, 1_000
PAGE_BYTES_MAX = 2 * 1024 * 1024  # half of what a gRPC client takes unless told otherwise
ENVELOPE_BYTES = 512  # about what an entry weighs besides its data

Context = grpc.aio.ServicerContext[Any, Any]


class FeedServicer(event_service_pb2_grpc.FeedServiceServicer):
    """Answers from the feed of the service that a request names."""

    def __init__(self, site: str, feeds: Mapping[str, Feed]) -> None:
        """Serve `feeds`, by service name; `site` is the first half of every event's source."""
        self._site = site
        self._feeds = dict(feeds)

    @classmethod
    def of(cls, site: str, services: Iterable[Service]) -> FeedServicer:
        """Return the servicer for the services of a process; those without events have no feed."""
        return cls(site, {one.name: one.feed for one in services if one.feed is not None})

    def register(self, server: grpc.aio.Server) -> None:
        """Add it to a server."""
        event_service_pb2_grpc.add_FeedServiceServicer_to_server(self, server)

    async def GetFeedHead(self, request: pb.GetFeedHeadRequest, context: Context) -> pb.GetFeedHeadResponse:
        """Tell the end of one feed."""
        head = await self._feed(request.service).head(_part(request.part))
        return pb.GetFeedHeadResponse(last_sequence=head.last_seq, chain=head.chain)

    async def ReadFeed(self, request: pb.ReadFeedRequest, context: Context) -> pb.ReadFeedResponse:
        """Read a range of one feed: a page of it, by number and by bytes."""
        feed, part = self._feed(request.service), _part(request.part)
        first, last = request.from_sequence, request.to_sequence
        if first < 1:
            raise invalid_field("from_sequence", "sequences begin at 1")
        if last < 0 or 0 < last < first:
            raise invalid_field("to_sequence", "0, or not before from_sequence")
        limit = page_size(request.page_size, PAGE_DEFAULT, PAGE_MAX)
        entries = await feed.read(part, first, last or None, limit=limit)
        # The head is read second, so it never lies before an entry of the page.
        head = await feed.head(part)
        source = f"{self._site}/{request.service}"
        wires = [entry_to_wire(entry, source) for entry in _within_bytes(entries)]
        return pb.ReadFeedResponse(entries=wires, last_sequence=head.last_seq)

    def _feed(self, service: str) -> Feed:
        feed = self._feeds.get(service)
        if feed is None:
            raise Refused("NOT_FOUND", "no service of this name keeps a feed here", {"field": "service"})
        return feed


def _part(wire: event_pb2.Part.ValueType) -> Part:
    part = PART_FROM_WIRE.get(wire)
    if part is None:
        raise invalid_field("part", "PART_FACTS or PART_MOVES")
    return part


def _within_bytes(entries: Iterable[FeedEntry]) -> Iterable[FeedEntry]:
    """Give entries until the page is full, at least one."""
    taken = 0
    for entry in entries:
        yield entry
        taken += len(entry.event.data) + ENVELOPE_BYTES
        if taken >= PAGE_BYTES_MAX:
            return
