"""Players of any mode who answer the offer of a rematch over gRPC."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID, uuid4

from libs.pb.sparrow.match.v1 import rematch_pb2 as wire
from libs.pb.sparrow.match.v1 import rematch_service_pb2 as pb
from libs.pb.sparrow.match.v1.rematch_service_pb2_grpc import RematchServiceStub
from tests.support.edge import Edge


class Seated(Protocol):
    """Whoever has an account and a session."""

    @property
    def edge(self) -> Edge:
        """Where the player calls."""
        ...

    @property
    def account_id(self) -> UUID:
        """The account."""
        ...

    @property
    def session_id(self) -> UUID:
        """The session of the device."""
        ...


@dataclass
class Asked:
    """A player, and what was heard of one offer."""

    player: Seated
    match: str
    heard: list[pb.WatchRematchResponse] = field(default_factory=list)

    @property
    def _stub(self) -> Any:
        return RematchServiceStub(self.player.edge.channel)

    @property
    def _metadata(self) -> list[tuple[str, str]]:
        return self.player.edge.as_player(self.player.account_id, self.player.session_id)

    async def look(self) -> wire.Rematch:
        """Read the offer."""
        reply = await self._stub.GetRematch(pb.GetRematchRequest(name=self.match), metadata=self._metadata)
        return reply.rematch  # type: ignore[no-any-return]

    async def accept(self, request_id: str | None = None) -> wire.Rematch:
        """Say yes."""
        request = pb.AcceptRematchRequest(name=self.match, request_id=request_id or str(uuid4()))
        return (await self._stub.AcceptRematch(request, metadata=self._metadata)).rematch  # type: ignore[no-any-return]

    async def decline(self, request_id: str | None = None) -> wire.Rematch:
        """Say no."""
        request = pb.DeclineRematchRequest(name=self.match, request_id=request_id or str(uuid4()))
        return (await self._stub.DeclineRematch(request, metadata=self._metadata)).rematch  # type: ignore[no-any-return]

    def listen(self) -> asyncio.Task[None]:
        """Follow the offer, keeping what comes, until the stream ends."""

        async def hear() -> None:
            request = pb.WatchRematchRequest(name=self.match)
            async for message in self._stub.WatchRematch(request, metadata=self._metadata):
                self.heard.append(message)

        return asyncio.create_task(hear())

    def end(self) -> str:
        """Why the stream ended; empty while it has not."""
        return self.heard[-1].end.reason if self.heard else ""
