"""Spectators over gRPC: they keep every message that was sent to them, and when that was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import spectate_pb2 as told
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as pb
from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import SpectateServiceStub
from tests.support.edge import Edge


@dataclass
class Spectator:
    """One account that watches."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    heard: list[pb.SpectateResponse] = field(default_factory=list)
    heard_at: list[datetime] = field(default_factory=list)

    @property
    def stub(self) -> Any:
        """The calls."""
        return SpectateServiceStub(self.edge.channel)

    async def live(
        self, mode: told.SpectateMode.ValueType = told.SPECTATE_MODE_UNSPECIFIED, **page: Any
    ) -> pb.ListLiveResponse:
        """A page of the matches that can be watched."""
        request = pb.ListLiveRequest(mode=mode, **page)
        reply: pb.ListLiveResponse = await self.stub.ListLive(
            request, metadata=self.edge.as_player(self.account_id)
        )
        return reply

    async def names(self, **asked: Any) -> list[str]:
        """The names of the matches that can be watched."""
        return [match.name for match in (await self.live(**asked)).matches]

    def watch(self, name: str, resume_token: str = "", code: str = "") -> Any:
        """Open a stream."""
        request = pb.SpectateRequest(name=name, resume_token=resume_token, invitation_code=code)
        return self.stub.Spectate(request, metadata=self.edge.as_player(self.account_id))

    def listen(self, name: str, resume_token: str = "", code: str = "") -> asyncio.Task[None]:
        """Follow a match, keeping what comes, until the stream ends."""

        async def hear() -> None:
            async for message in self.watch(name, resume_token, code):
                self.heard.append(message)
                self.heard_at.append(self.edge.clock.now())

        return asyncio.create_task(hear())

    def kinds(self) -> list[str]:
        """What the messages were, without heartbeats."""
        found = [message.WhichOneof("payload") or "" for message in self.heard]
        return [kind for kind in found if kind != "heartbeat"]

    def updates(self) -> Iterator[told.SpectatedUpdate]:
        """The updates that were heard."""
        return (message.update for message in self.heard if message.HasField("update"))

    @property
    def ended_by(self) -> str:
        """Why the stream ended, if it has."""
        return self.heard[-1].end.reason if self.heard else ""


def match_in(message: pb.SpectateResponse) -> told.SpectatedMatch | None:
    """The match that a message tells of, if it does."""
    if message.HasField("snapshot"):
        return message.snapshot
    return message.update.match if message.HasField("update") else None


def shown_at(message: pb.SpectateResponse) -> datetime:
    """The instant that a message shows."""
    return message.shown_time.ToDatetime(UTC)


def known_by(recorded: list[RecordedEvent], at: datetime) -> list[RecordedEvent]:
    """The events that everybody may know of at an instant: a plain scan over the log."""
    known: list[RecordedEvent] = []
    for event in recorded:
        if max(event.occurred_at, event.recorded_at) > at:
            break
        known.append(event)
    return known
