"""A player of levels over gRPC: knows the solution of every level, keeps every byte that was sent to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from google.protobuf.message import Message

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.rules.solitaire.levels import level_deal
from libs.runtime.loops import keep_running
from libs.runtime.service import Bind, Runtime, Service
from services.match.servicer import bind as bind_match
from services.solitaire.servicer import bind as bind_solitaire
from tests.support.edge import Edge, serving

T = TypeVar("T", bound=Message)


@dataclass
class LevelPlayer:
    """One account on one device."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    session_id: UUID = field(default_factory=uuid4)
    received: list[Message] = field(default_factory=list)

    @property
    def stub(self) -> Any:
        """The calls."""
        return MatchServiceStub(self.edge.channel)

    @property
    def name(self) -> str:
        """The player's name."""
        return f"players/{self.account_id}"

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Who calls."""
        return self.edge.as_player(self.account_id, self.session_id)

    async def start(self, level: int = 1, request_id: str | None = None) -> match_pb2.Match:
        """Start a level."""
        request = pb.StartLevelRequest(level=level, request_id=request_id or str(uuid4()))
        reply: pb.StartLevelResponse = await self.stub.StartLevel(request, metadata=self.metadata)
        return self._keep(reply).match

    async def touch(
        self, name: str, tile: int, version: int, request_id: str | None = None
    ) -> match_pb2.MatchUpdate:
        """Touch a tile."""
        request = pb.TouchRequest(
            name=name, tile=tile, expected_board_version=version, request_id=request_id or str(uuid4())
        )
        reply: pb.TouchResponse = await self.stub.Touch(request, metadata=self.metadata)
        return self._keep(reply).update

    async def put_back(self, name: str, version: int, request_id: str | None = None) -> match_pb2.MatchUpdate:
        """Put the lifted tile back."""
        request = pb.PutBackRequest(
            name=name, expected_board_version=version, request_id=request_id or str(uuid4())
        )
        reply: pb.PutBackResponse = await self.stub.PutBack(request, metadata=self.metadata)
        return self._keep(reply).update

    async def restart(self, name: str, request_id: str | None = None) -> match_pb2.Match:
        """Start the level again."""
        request = pb.RestartLevelRequest(name=name, request_id=request_id or str(uuid4()))
        reply: pb.RestartLevelResponse = await self.stub.RestartLevel(request, metadata=self.metadata)
        return self._keep(reply).match

    async def leave(self, name: str, request_id: str | None = None) -> match_pb2.MatchUpdate:
        """Leave."""
        request = pb.LeaveMatchRequest(name=name, request_id=request_id or str(uuid4()))
        reply: pb.LeaveMatchResponse = await self.stub.LeaveMatch(request, metadata=self.metadata)
        return self._keep(reply).update

    async def get(self, name: str) -> match_pb2.Match:
        """Read a match."""
        request = pb.GetMatchRequest(name=name)
        reply: pb.GetMatchResponse = await self.stub.GetMatch(request, metadata=self.metadata)
        return self._keep(reply).match

    async def bests(self, level: int = 1) -> pb.ListLevelBestsResponse:
        """The table of a level."""
        request = pb.ListLevelBestsRequest(level=level)
        reply: pb.ListLevelBestsResponse = await self.stub.ListLevelBests(request, metadata=self.metadata)
        return self._keep(reply)

    def watch(self, name: str, resume_token: str = "") -> Any:
        """Open a stream."""
        request = pb.WatchRequest(name=name, resume_token=resume_token)
        return self.stub.Watch(request, metadata=self.metadata)

    async def clear(self, level: int = 1, took_ms: int = 0) -> match_pb2.MatchUpdate:
        """Play a level from start to the last pair in this time; return the last update."""
        match = await self.start(level)
        self.edge.clock.advance(timedelta(milliseconds=took_ms))
        return await self.play_out(match.name, level)

    async def play_out(self, name: str, level: int = 1, version: int = 0) -> match_pb2.MatchUpdate:
        """Make the pairs of the level's solution on a full board; return the last update."""
        update = match_pb2.MatchUpdate()
        for tile in solution(level):
            update = await self.touch(name, tile, version)
            version = update.board_version
        return update

    def _keep(self, message: T) -> T:
        self.received.append(message)
        return message


def solution(level: int) -> Sequence[int]:
    """The tiles of a level in an order that clears it: lifted, partner, and so on."""
    return [tile for pair in level_deal(level).certificate for tile in pair]


async def read_until_end(stream: Any, into: list[pb.WatchResponse]) -> None:
    """Read a stream until it ends by itself."""
    async for message in stream:
        into.append(message)  # noqa: PERF401 what came before a failure counts


@asynccontextmanager
async def levels_served(database_url: str, **settings: Any) -> AsyncIterator[Edge]:
    """Serve match and solitaire with the loops of the serving process."""
    bound: list[Service] = []

    async def bind_and_keep(runtime: Runtime) -> Service:
        bound.append(await bind_match(runtime))
        return bound[-1]

    binds: list[Bind] = [bind_solitaire, bind_and_keep]
    async with serving(binds, database_url=database_url, **settings) as edge:
        stop = asyncio.Event()
        loops = [asyncio.create_task(keep_running(loop, stop)) for loop in bound[0].serving]
        try:
            yield edge
        finally:
            stop.set()
            await asyncio.gather(*loops)
