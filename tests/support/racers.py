"""Racers over gRPC, and the served races."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from google.protobuf.message import Message

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import race_pb2 as race
from libs.pb.sparrow.match.v1 import race_service_pb2 as pb
from libs.pb.sparrow.match.v1 import ticket_pb2
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.pb.sparrow.match.v1.race_service_pb2_grpc import RaceServiceStub
from libs.runtime.loops import keep_running
from libs.runtime.service import Loop, Runtime, Service
from services.match.domain.race.events import Event, RaceDealt
from services.match.races.play import stream_of
from services.match.servicer import bind as bind_match
from services.match.wire.race_codec import RaceCodec
from services.solitaire.servicer import bind as bind_solitaire
from tests.support.edge import Edge, serving

T = TypeVar("T", bound=Message)
WORK = {"match.timers", "match.matchmaker.race"}


@dataclass
class Track:
    """The served races, their clock and their log."""

    edge: Edge

    @property
    def database(self) -> Database:
        """Where the match service keeps its facts."""
        return next(database for database in self.edge.databases if database.schema == "match")

    def step(self, **span: float) -> None:
        """Move the clock on."""
        self.edge.clock.advance(timedelta(**span))

    async def facts(self, name: str) -> list[Event]:
        """What happened in a race."""
        stream_id = stream_of(UUID(name.removeprefix("matches/")))
        return [RaceCodec().decode(event) for event in await self.database.store.load(stream_id)]

    async def solution(self, name: str, deal: int = 0) -> list[tuple[int, int]]:
        """Pairs that clear the board of a race."""
        first = (await self.facts(name))[0]
        assert isinstance(first, RaceDealt)
        return list(first.deals[deal].certificate)


@dataclass
class RacePlayer:
    """One account on one device."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    session_id: UUID = field(default_factory=uuid4)
    heard: list[pb.WatchRaceResponse] = field(default_factory=list)
    version: int = 0

    @property
    def name(self) -> str:
        """The player's name."""
        return f"players/{self.account_id}"

    async def call(self, method: str, request: T) -> Any:
        """Call RaceService; writes get a request id."""
        if "request_id" in request.DESCRIPTOR.fields_by_name and not request.request_id:  # type: ignore[attr-defined]
            request.request_id = str(uuid4())  # type: ignore[attr-defined]
        stub: Any = RaceServiceStub(self.edge.channel)
        metadata = self.edge.as_player(self.account_id, self.session_id)
        return await getattr(stub, method)(request, metadata=metadata)

    async def create(self, settings: race.RaceSettings | None = None, **rest: Any) -> race.RaceGroup:
        """Make a group."""
        reply = await self.call("CreateRaceGroup", pb.CreateRaceGroupRequest(settings=settings, **rest))
        return reply.group  # type: ignore[no-any-return]

    async def join(self, code: str) -> race.RaceGroup:
        """Join a group."""
        return (await self.call("JoinRaceGroup", pb.JoinRaceGroupRequest(code=code))).group  # type: ignore[no-any-return]

    async def start(self, group: str) -> str:
        """Start a race; return its name. The countdown runs."""
        return str((await self.call("StartRace", pb.StartRaceRequest(name=group))).group.race)

    async def get(self, name: str) -> race.Race:
        """Read a race."""
        found = (await self.call("GetRace", pb.GetRaceRequest(name=name))).race
        self.version = found.board.board_version
        return found  # type: ignore[no-any-return]

    async def remove(self, name: str, first: int, second: int, request_id: str = "") -> race.RaceUpdate:
        """Take two tiles."""
        request = pb.RemovePairRequest(
            name=name,
            first=first,
            second=second,
            expected_board_version=self.version,
            request_id=request_id,
        )
        return self._seen((await self.call("RemovePair", request)).update)

    async def touch(self, name: str, tile: int) -> race.RaceUpdate:
        """Touch a tile."""
        request = pb.TouchTileRequest(name=name, tile=tile, expected_board_version=self.version)
        return self._seen((await self.call("TouchTile", request)).update)

    async def shuffle(self, name: str) -> race.RaceUpdate:
        """Shuffle."""
        request = pb.ShuffleBoardRequest(name=name, expected_board_version=self.version)
        return self._seen((await self.call("ShuffleBoard", request)).update)

    async def hint(self, name: str) -> race.RaceUpdate:
        """Take a hint."""
        request = pb.ShowHintRequest(name=name, expected_board_version=self.version)
        return self._seen((await self.call("ShowHint", request)).update)

    async def give_up(self, name: str) -> race.RaceUpdate:
        """Give up."""
        return self._seen((await self.call("GiveUpRace", pb.GiveUpRaceRequest(name=name))).update)

    async def leave(self, name: str) -> race.RaceUpdate:
        """Go away."""
        return self._seen((await self.call("LeaveRace", pb.LeaveRaceRequest(name=name))).update)

    async def clear(self, name: str, pairs: list[tuple[int, int]]) -> race.RaceUpdate:
        """Take these pairs; return the last update."""
        updates = [await self.remove(name, *pair) for pair in pairs]
        return updates[-1]

    async def racer(self) -> pb.GetRacerResponse:
        """Ask for rating and best times."""
        return await self.call("GetRacer", pb.GetRacerRequest())  # type: ignore[no-any-return]

    def listen(self, name: str, resume_token: str = "") -> asyncio.Task[None]:
        """Follow a race, keeping what comes, until the stream ends."""

        async def hear() -> None:
            stub: Any = RaceServiceStub(self.edge.channel)
            request = pb.WatchRaceRequest(name=name, resume_token=resume_token)
            metadata = self.edge.as_player(self.account_id, self.session_id)
            async for message in stub.WatchRace(request, metadata=metadata):
                self.heard.append(message)

        return asyncio.create_task(hear())

    async def wait(self) -> None:
        """Wait in the queue of races."""
        request = ticket_pb2.CreateTicketRequest(queue=ticket_pb2.QUEUE_RACE, request_id=str(uuid4()))
        stub: Any = MatchServiceStub(self.edge.channel)
        await stub.CreateTicket(request, metadata=self.edge.as_player(self.account_id, self.session_id))

    async def seated(self) -> str:
        """The race that the ticket led to, or empty."""
        stub: Any = MatchServiceStub(self.edge.channel)
        request = ticket_pb2.GetTicketRequest(name="tickets/current")
        metadata = self.edge.as_player(self.account_id, self.session_id)
        return str((await stub.GetTicket(request, metadata=metadata)).ticket.match)

    def _seen(self, update: race.RaceUpdate) -> race.RaceUpdate:
        if update.race.HasField("board"):
            self.version = update.race.board.board_version
        return update


@asynccontextmanager
async def races_served(database_url: str, **settings: Any) -> AsyncIterator[Track]:
    """Serve match with the loops that races need."""
    loops: list[Loop] = []

    async def bind(runtime: Runtime) -> Service:
        service = await bind_match(runtime)
        loops.extend([*service.serving, *(loop for loop in service.working if loop.name in WORK)])
        return service

    async with serving([bind_solitaire, bind], database_url=database_url, **settings) as edge:
        stop = asyncio.Event()
        running = [asyncio.create_task(keep_running(loop, stop)) for loop in loops]
        try:
            yield Track(edge)
        finally:
            stop.set()
            await asyncio.gather(*running)
