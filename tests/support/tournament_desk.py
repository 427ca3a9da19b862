"""Calls of players and operators to a served tournament service, and a match service that is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc

from libs.eventstore.wake import Wake
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as operations
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.pb.sparrow.tournament.v1.tournament_operations_service_pb2_grpc import (
    TournamentOperationsServiceStub,
)
from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from libs.runtime.systemclock import SteppingClock
from services.tournament.domain.calendar.weeks import Week
from services.tournament.domain.tournament.terms import Terms
from services.tournament.servicer import bind
from services.tournament.tournaments.parts import TournamentParts
from services.tournament.wire.words import terms_message, timestamp
from tests.support.edge import START, Edge, serving
from tests.support.tournaments import TERMS

BEGIN = START + timedelta(hours=30)
OPEN = BEGIN - timedelta(hours=2)


@dataclass
class FakeMatches:
    """A match service that is away for a while, and remembers what was asked."""

    failing: list[grpc.StatusCode] = field(default_factory=list)
    begun: list[UUID] = field(default_factory=list)
    cuts: list[UUID] = field(default_factory=list)
    refused: set[UUID] = field(default_factory=set)

    async def begin(
        self,
        _tournament: UUID,
        _number: int,
        _limit: timedelta,
        _ends: datetime,
        tables: dict[UUID, list[UUID]],
    ) -> None:
        """Begin those that have not begun."""
        if self.failing:
            metadata = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(self.failing.pop(0), metadata, metadata)
        if self.refused & tables.keys():
            metadata = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, metadata, metadata)
        self.begun += [match_id for match_id in tables if match_id not in self.begun]

    async def cut(self, match_ids: list[UUID], _at: datetime) -> list[UUID]:
        """Cut those that have begun."""
        self.cuts += [match_id for match_id in match_ids if match_id in self.begun]
        return [match_id for match_id in match_ids if match_id not in self.begun]


@dataclass
class Desk:
    """Calls of players and operators."""

    edge: Edge
    operator: list[tuple[str, str]] = field(default_factory=list)

    @property
    def players(self) -> Any:
        """The stub of players."""
        return TournamentServiceStub(self.edge.channel)

    @property
    def operators(self) -> Any:
        """The stub of operators."""
        return TournamentOperationsServiceStub(self.edge.channel)

    @property
    def as_operator(self) -> list[tuple[str, str]]:
        """Who calls: an operator."""
        return self.edge.as_operator()

    def move_to(self, at: datetime) -> None:
        """Let it be then."""
        self.edge.clock.advance(at - self.edge.clock.now())

    async def created(self, terms: Terms = TERMS, start: datetime = BEGIN) -> page.Tournament:
        """A tournament."""
        request = operations.CreateTournamentRequest(
            terms=terms_message(terms), start_time=timestamp(start), request_id=str(uuid4())
        )
        reply = await self.operators.CreateTournament(request, metadata=self.as_operator)
        made: page.Tournament = reply.tournament
        return made

    async def register(self, name: str, account: UUID) -> page.Tournament:
        """Enter."""
        request = pb.RegisterForTournamentRequest(name=name, request_id=str(uuid4()))
        reply = await self.players.RegisterForTournament(request, metadata=self.edge.as_player(account))
        entered: page.Tournament = reply.tournament
        return entered

    async def get(self, name: str, account: UUID) -> page.Tournament:
        """The page for a player."""
        request = pb.GetTournamentRequest(name=name)
        reply = await self.players.GetTournament(request, metadata=self.edge.as_player(account))
        read: page.Tournament = reply.tournament
        return read

    def parts(self, clock: SteppingClock | None = None) -> TournamentParts:
        """Another process on the same database."""
        runtime = replace(self.edge.runtime, clock=clock or self.edge.clock)
        return TournamentParts(runtime, self.edge.databases[0], Wake(runtime.bus, "tournament"), no_points)


async def no_points(_account: UUID, _week: Week) -> int:
    """What a ledger says in which nobody has prizes."""
    return 0


@asynccontextmanager
async def desk_on(url: str) -> AsyncIterator[Desk]:
    """A desk on a database."""
    async with serving([bind], database_url=url) as edge:
        yield Desk(edge)
