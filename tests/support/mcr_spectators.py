"""Spectators of MCR tables over gRPC: they keep every message that was sent to them, and when that was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from libs.pb.sparrow.mcr.v1 import deal_view_pb2
from libs.pb.sparrow.mcr.v1 import table_spectate_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.table_spectate_service_pb2_grpc import SpectateServiceStub
from tests.support.edge import Edge

TILES = {"tile", "tiles", "claimed_tile", "drawn_tile", "offered_tile", "replacement_tile", "kong_tiles"} | {
    *("hand", "discards"),
}
"""Fields that hold tiles; `flowers` of a seat does too, of a score it is a number."""


@dataclass
class TableSpectator:
    """One account that watches."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    heard: list[pb.SpectateResponse] = field(default_factory=list)
    heard_at: list[datetime] = field(default_factory=list)

    @property
    def stub(self) -> Any:
        """The calls."""
        return SpectateServiceStub(self.edge.channel)

    async def live(self, **page: Any) -> pb.ListLiveResponse:
        """A page of the tables that can be watched."""
        request = pb.ListLiveRequest(**page)
        metadata = self.edge.as_player(self.account_id)
        return await self.stub.ListLive(request, metadata=metadata)  # type: ignore[no-any-return]

    async def names(self) -> list[str]:
        """The names of the tables that can be watched."""
        return [table.name for table in (await self.live()).tables]

    def watch(self, name: str, resume_token: str = "", code: str = "") -> Any:
        """Open a stream."""
        request = pb.SpectateRequest(name=name, resume_token=resume_token, invitation_code=code)
        return self.stub.Spectate(request, metadata=self.edge.as_player(self.account_id))

    def listen(self, name: str, resume_token: str = "", code: str = "") -> asyncio.Task[None]:
        """Follow a table, keeping what comes, until the stream ends."""

        async def hear() -> None:
            async for message in self.watch(name, resume_token, code):
                self.heard.append(message)
                self.heard_at.append(self.edge.clock.now())

        return asyncio.create_task(hear())

    def told(self) -> list[pb.SpectateResponse]:
        """What was heard, without heartbeats."""
        return [message for message in self.heard if not message.HasField("heartbeat")]


def deal_in(message: pb.SpectateResponse) -> deal_view_pb2.DealView | None:
    """The deal that a message tells of, if it does."""
    match message.WhichOneof("payload"):
        case "snapshot":
            return message.snapshot.deal
        case "update":
            return message.update.deal
        case _:
            return None


def shown_at(message: pb.SpectateResponse) -> datetime:
    """The instant that a message shows."""
    return message.shown_time.ToDatetime(UTC)


def tiles_in(message: Message) -> Iterator[int]:
    """Every tile that stands in a message, wherever it does."""
    for told, value in message.ListFields():
        holds_tiles = told.name in TILES or (
            told.name == "flowers" and message.DESCRIPTOR.name == deal_view_pb2.DealSeat.DESCRIPTOR.name
        )
        if told.type == FieldDescriptor.TYPE_MESSAGE:
            for each in value if told.is_repeated else [value]:
                yield from tiles_in(each)
        elif holds_tiles:
            yield from value if told.is_repeated else [value]
