"""A player of Rivals matches over gRPC: knows the deal from the log, keeps every byte that was sent to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger_service
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import match_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.rules.solitaire.levels import Recipe, deal_recipe
from libs.runtime.loops import keep_running
from libs.runtime.service import Bind, Loop, Runtime, Service
from services.ledger.servicer import bind as bind_ledger
from services.match.domain.rivals.events import Event, RoundDealt
from services.match.domain.rivals.terms import RoundDeal
from services.match.rounds import store as rows
from services.match.servicer import bind as bind_match
from services.match.wire.round_codec import RoundCodec
from services.solitaire.servicer import bind as bind_solitaire
from tests.support.edge import Edge, serving
from tests.support.level_player import LevelPlayer

WORK = {
    "match.timers",
    "match.matchmaker.quick_match",
    "match.matchmaker.arena",
    "match.matchmaker.pool",
    "match.rematches_forgotten",
}


@dataclass
class RoundPlayer(LevelPlayer):
    """One account on one device, that also waits in queues and uses jokers."""

    heard: list[pb.WatchResponse] = field(default_factory=list)

    async def wait(
        self, queue: ticket_pb2.Queue.ValueType = ticket_pb2.QUEUE_QUICK_MATCH
    ) -> ticket_pb2.Ticket:
        """Wait in a queue."""
        request = ticket_pb2.CreateTicketRequest(queue=queue, request_id=str(uuid4()))
        reply: ticket_pb2.CreateTicketResponse = await self.stub.CreateTicket(request, metadata=self.metadata)
        return reply.ticket

    async def seated(self, within_s: float = 10.0) -> str:
        """The name of the match that the ticket led to."""
        stream = self.stub.WatchTicket(
            ticket_pb2.WatchTicketRequest(name="tickets/current"), metadata=self.metadata
        )
        async with asyncio.timeout(within_s):
            async for message in stream:
                if message.HasField("ticket") and message.ticket.match:
                    return str(message.ticket.match)
        raise AssertionError("the ticket led to no match")

    async def use_joker(
        self, name: str, version: int, request_id: str | None = None
    ) -> match_pb2.MatchUpdate:
        """Use a joker."""
        request = pb.UseJokerRequest(
            name=name, expected_board_version=version, request_id=request_id or str(uuid4())
        )
        reply: pb.UseJokerResponse = await self.stub.UseJoker(request, metadata=self.metadata)
        return self._keep(reply).update

    async def matches(self, size: int = 0, token: str = "") -> pb.ListMatchesResponse:
        """A page of the own matches."""
        request = pb.ListMatchesRequest(page_size=size, page_token=token)
        reply: pb.ListMatchesResponse = await self.stub.ListMatches(request, metadata=self.metadata)
        return self._keep(reply)

    async def take(self, name: str, first: int, second: int, version: int) -> match_pb2.MatchUpdate:
        """Lift one tile and touch the other; return what the second touch came to."""
        lifted = await self.touch(name, first, version)
        return await self.touch(name, second, lifted.board_version)

    async def clear_board(
        self, name: str, pairs: Sequence[tuple[int, int]], version: int = 0
    ) -> match_pb2.MatchUpdate:
        """Take these pairs on a board of that version; return the last update."""
        update = match_pb2.MatchUpdate(board_version=version)
        for first, second in pairs:
            update = await self.take(name, first, second, update.board_version)
        return update

    def listen(self, name: str, resume_token: str = "") -> asyncio.Task[None]:
        """Follow a match, keeping what comes, until the stream ends."""

        async def hear() -> None:
            async for message in self.watch(name, resume_token):
                self.heard.append(message)
                self.received.append(message)

        return asyncio.create_task(hear())

    def updates(self) -> Iterator[match_pb2.MatchUpdate]:
        """The updates that were heard."""
        return (message.update for message in self.heard if message.HasField("update"))


@dataclass
class Hall:
    """The served game, its clock and its log."""

    edge: Edge

    @property
    def database(self) -> Database:
        """Where the match service keeps its facts."""
        return next(database for database in self.edge.databases if database.schema == "match")

    def step(self, **span: float) -> None:
        """Move the clock on."""
        self.edge.clock.advance(timedelta(**span))

    async def meet(self, ana: RoundPlayer, ben: RoundPlayer) -> str:
        """Seat two players at one table; return the match's name. The countdown runs."""
        await ana.wait()
        await ben.wait()
        name = await ana.seated()
        assert await ben.seated() == name
        return name

    async def begin(self, ana: RoundPlayer, ben: RoundPlayer) -> str:
        """Seat two players and let the countdown end."""
        name = await self.meet(ana, ben)
        self.step(seconds=3)
        return name

    async def meet_in_arena(self, players: Sequence[RoundPlayer]) -> str:
        """Seat four players; return the match's name. The countdown runs."""
        for player in players:
            await player.wait(ticket_pb2.QUEUE_ARENA)
        names = {await player.seated() for player in players}
        assert len(names) == 1
        return names.pop()

    async def rounds(self, name: str) -> list[UUID]:
        """The rounds of a match that were dealt, by their numbers."""
        found = await self.database.pool.fetch(
            "SELECT round_id FROM match_round WHERE match_id = $1 ORDER BY number",
            UUID(name.removeprefix("matches/")),
        )
        return [row["round_id"] for row in found]

    async def recorded(self, name: str) -> list[RecordedEvent]:
        """The stored facts of the round of a match."""
        return await self.database.store.load(await self.round_id(name))

    async def round_id(self, name: str) -> UUID:
        """The round of a match."""
        async with self.database.engine.connect() as connection:
            found = await rows.round_of(connection, UUID(name.removeprefix("matches/")))
        assert found is not None
        return found

    async def facts(self, name: str) -> list[Event]:
        """What happened in the round of a match."""
        return [RoundCodec().decode(event) for event in await self.recorded(name)]

    async def deal(self, name: str) -> RoundDeal:
        """The secret deal of a match."""
        first = (await self.facts(name))[0]
        assert isinstance(first, RoundDealt)
        return first.deal

    async def solution(self, name: str) -> Sequence[tuple[int, int]]:
        """Pairs that clear the board of a match, the lifted tile first."""
        deal = await self.deal(name)
        return deal_recipe(Recipe(deal.layout.name, deal.distinct_faces), deal.seed).certificate

    async def count(self, query: str) -> int:
        """Ask the match service's schema."""
        return int(await self.database.pool.fetchval(query))

    async def grant_jokers(self, player: RoundPlayer, number: int) -> None:
        """An operator gives jokers."""
        request = ledger_service.GrantAssetRequest(
            player=player.name,
            asset=ledger_pb2.ASSET_JOKER,
            amount=number,
            reason="TEST",
            request_id=str(uuid4()),
        )
        await LedgerServiceStub(self.edge.channel).GrantAsset(request, metadata=self.edge.as_operator())

    async def jokers(self, player: RoundPlayer) -> int:
        """How many jokers an account owns."""
        request = ledger_service.GetBalancesRequest(player=player.name)
        stub = LedgerServiceStub(self.edge.channel)
        reply = await stub.GetBalances(request, metadata=player.metadata)
        owned = [b.amount for b in reply.balances if b.asset == ledger_pb2.ASSET_JOKER]
        return int(owned[0])


@asynccontextmanager
async def quick_matches_served(
    database_url: str, *, ledger: bool = True, **settings: Any
) -> AsyncIterator[Hall]:
    """Serve match and, unless told otherwise, the ledger, with the loops that quick matches need."""
    loops: list[Loop] = []

    async def bind(runtime: Runtime) -> Service:
        service = await bind_match(runtime)
        loops.extend([*service.serving, *(loop for loop in service.working if loop.name in WORK)])
        return service

    binds: list[Bind] = [bind_solitaire, bind, *([bind_ledger] if ledger else [])]
    async with serving(binds, database_url=database_url, **settings) as edge:
        stop = asyncio.Event()
        running = [asyncio.create_task(keep_running(loop, stop)) for loop in loops]
        try:
            yield Hall(edge)
        finally:
            stop.set()
            await asyncio.gather(*running)
