"""Another service's feed, read over gRPC."""

from __future__ import annotations

import grpc

from libs.eventsourcing.envelope import Part
from libs.eventstore.position import PAGE_MAX, FeedPage
from libs.pb.sparrow.event.v1 import event_service_pb2 as pb
from libs.pb.sparrow.event.v1 import event_service_pb2_grpc
from libs.runtime.feed_wire import PART_TO_WIRE, entry_from_wire

TIMEOUT_S = 5.0


class GrpcFeedReader:
    """The FeedReader of `service` behind a channel that signs its calls."""

    def __init__(self, channel: grpc.aio.Channel, service: str) -> None:
        """Bind to a channel; it is not closed here."""
        self._stub = event_service_pb2_grpc.FeedServiceStub(channel)
        self._service = service

    async def read_feed(self, part: Part, from_seq: int, to_seq: int | None) -> FeedPage:
        """As the port says; raises grpc.aio.AioRpcError when the owner does not answer."""
        request = pb.ReadFeedRequest(
            service=self._service,
            part=PART_TO_WIRE[part],
            from_sequence=from_seq,
            to_sequence=to_seq or 0,
            page_size=PAGE_MAX,
        )
        response: pb.ReadFeedResponse = await self._stub.ReadFeed(request, timeout=TIMEOUT_S)
        entries = [entry_from_wire(wire, part) for wire in response.entries]
        return FeedPage(entries, response.last_sequence)
