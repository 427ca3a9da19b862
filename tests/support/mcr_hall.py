"""MCR tables behind one real server, and persons who sit there; time stands unless a test moves it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.mcr.v1 import deal_pb2, deal_view_pb2, table_pb2
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import TableServiceStub
from libs.runtime.loops import keep_running
from libs.runtime.service import Loop, Runtime, Service
from services.mcr.domain.deal.events import Event
from services.mcr.domain.session import events as session_events
from services.mcr.servicer import bind as bind_mcr
from services.mcr.tables.begin import NewTable, TableBeginnings
from services.mcr.tables.pace import pace_of
from services.mcr.tables.presence import Absences
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.edge import Edge, refusal_of, serving

QUICK: dict[str, Any] = {
    "mcr_hold_ms": 0,
    "mcr_ai_pause_ms": 0,
    "mcr_countdown_ms": 500,
    "mcr_deal_pause_ms": 500,
}
"""For tables that are played to their end: nobody waits for the clock, which tests move."""
WORK = {"mcr.timers.deal", "mcr.timers.alone"}
GONE_ON = {"STALE_DECISION", "MATCH_ENDED"}
OVER = deal_view_pb2.DEAL_PHASE_OVER


def quietly(view: deal_view_pb2.DealView) -> deal_view_pb2.Action:
    """Win where it is open, claim nothing, and lay down what was drawn, or else the last tile."""
    kinds = {action.kind: action for action in view.open_decision.actions}
    for kind in (deal_view_pb2.ACTION_KIND_WIN, deal_view_pb2.ACTION_KIND_PASS):
        if kind in kinds:
            return kinds[kind]
    discards = [each for each in view.open_decision.actions if each.kind == deal_view_pb2.ACTION_KIND_DISCARD]
    drawn = [each for each in discards if list(each.tiles) == [view.drawn_tile]]
    return (drawn or discards)[-1]


@dataclass
class TablePlayer:
    """One account on one device."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    session_id: UUID = field(default_factory=uuid4)
    told: list[pb.WatchTableResponse] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    """Everything that calls brought, as it came."""

    @property
    def name(self) -> str:
        """The player's name."""
        return f"players/{self.account_id}"

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Who calls."""
        return self.edge.as_player(self.account_id, self.session_id)

    @property
    def stub(self) -> Any:
        """The calls."""
        return TableServiceStub(self.edge.channel)

    def other_device(self) -> TablePlayer:
        """The same account elsewhere."""
        return TablePlayer(self.edge, self.account_id)

    async def open(
        self,
        deals: int = 1,
        level: deal_pb2.AiLevel.ValueType = deal_pb2.AI_LEVEL_UNSPECIFIED,
        request_id: str | None = None,
    ) -> table_pb2.TableView:
        """Open a table against the AI."""
        request = pb.OpenTableRequest(deal_count=deals, ai_level=level, request_id=request_id or str(uuid4()))
        return (await self._call(self.stub.OpenTable, request)).table  # type: ignore[no-any-return]

    async def table(self, name: str) -> table_pb2.TableView:
        """Read a table."""
        return (await self._call(self.stub.GetTable, pb.GetTableRequest(name=name))).table  # type: ignore[no-any-return]

    async def act(
        self,
        name: str,
        view: deal_view_pb2.DealView,
        action: deal_view_pb2.Action,
        request_id: str | None = None,
    ) -> table_pb2.TableUpdate:
        """Answer the decision of a view."""
        request = pb.ActRequest(
            name=name,
            deal_number=view.number,
            decision=view.decision,
            action=action,
            request_id=request_id or str(uuid4()),
        )
        return (await self._call(self.stub.Act, request)).update  # type: ignore[no-any-return]

    async def leave(self, name: str, request_id: str | None = None) -> table_pb2.TableUpdate:
        """Leave the table."""
        request = pb.LeaveTableRequest(name=name, request_id=request_id or str(uuid4()))
        return (await self._call(self.stub.LeaveTable, request)).update  # type: ignore[no-any-return]

    async def come_back(self, name: str, request_id: str | None = None) -> table_pb2.TableUpdate:
        """Return to the table."""
        request = pb.ReturnToTableRequest(name=name, request_id=request_id or str(uuid4()))
        return (await self._call(self.stub.ReturnToTable, request)).update  # type: ignore[no-any-return]

    def watch(self, name: str, resume_token: str = "") -> Any:
        """Open a stream."""
        request = pb.WatchTableRequest(name=name, resume_token=resume_token)
        return self.stub.WatchTable(request, metadata=self.metadata)

    def follow(self, name: str, resume_token: str = "") -> asyncio.Task[None]:
        """Follow a table, keeping what comes, until the stream ends."""

        async def hear() -> None:
            async for message in self.watch(name, resume_token):
                self.told.append(message)

        return asyncio.create_task(hear())

    async def _call(self, method: Any, request: Any) -> Any:
        answer = await method(request, metadata=self.metadata)
        self.answers.append(answer)
        return answer


@dataclass
class TableHall:
    """The served tables, their clock and their log."""

    edge: Edge
    absences: Absences

    @property
    def database(self) -> Database:
        """Where the service keeps its facts."""
        return next(database for database in self.edge.databases if database.schema == "mcr")

    @property
    def beginnings(self) -> TableBeginnings:
        """How tables begin that nobody opens."""
        return TableBeginnings(self.edge.runtime.randomness, pace_of(self.edge.settings))

    def step(self, **span: float) -> None:
        """Move the clock on."""
        self.edge.clock.advance(timedelta(**span))

    async def look_for_lost(self) -> None:
        """Leave seats to the AI that are lost now: workers look all the time, tests when they say so."""
        await asyncio.sleep(0.6)  # what a worker knows of outages holds for half a second
        await self.absences.step()

    async def seat(self, *tables: NewTable) -> None:
        """Begin tables."""
        async with self.database.store.transaction() as transaction:
            await self.beginnings.begin_all(transaction, tables, self.edge.clock.now())

    async def table_facts(self, table_id: UUID) -> list[session_events.Event]:
        """What happened to a table."""
        return [TableCodec().decode(each) for each in await self.database.store.load(table_id)]

    async def deal_facts(self, deal_id: UUID) -> list[Event]:
        """What happened in a deal."""
        return [DealCodec().decode(each) for each in await self.database.store.load(deal_id)]

    async def deals(self, table_id: UUID) -> list[UUID]:
        """The deals of a table that were dealt."""
        facts = await self.table_facts(table_id)
        return [each.deal_id for each in facts if isinstance(each, session_events.DealStarted)]

    async def play_out(
        self,
        name: str,
        *players: TablePlayer,
        choose: Callable[[deal_view_pb2.DealView], deal_view_pb2.Action] = quietly,
        until: Callable[[table_pb2.TableView], bool] | None = None,
    ) -> table_pb2.TableView:
        """Let players act whenever they can, and time go by where they cannot, until the table closes.

        An answer that comes when the deal has gone on is given anew: an AI player may have won meanwhile.
        """
        while True:
            for player in players:
                table = await player.table(name)
                if table.summary.closing or (until is not None and until(table)):
                    return table
                if not table.deal.HasField("open_decision"):
                    continue
                try:
                    await player.act(name, table.deal, choose(table.deal))
                except grpc.aio.AioRpcError as error:
                    if refusal_of(error).reason not in GONE_ON:
                        raise
            self.step(seconds=0.1)
            await asyncio.sleep(0.01)


def _absences(loop: Loop) -> Absences:
    """What a loop runs: bound to its object."""
    found = getattr(loop.run, "__self__", None)
    assert isinstance(found, Absences)
    return found


def id_of(name: str) -> UUID:
    """The id of a table's name."""
    return UUID(name.removeprefix("tables/"))


@asynccontextmanager
async def tables_served(
    database_url: str, *, lost_after_ms: int = 600_000, work: Collection[str] = WORK, **settings: Any
) -> AsyncIterator[TableHall]:
    """Serve tables with the loops that they need, `work` among them that work.

    Clocks of tests outrun streams: nobody is lost soon.
    """
    loops: list[Loop] = []
    absences: list[Absences] = []
    settings["mcr_lost_after_ms"] = lost_after_ms

    async def bind(runtime: Runtime) -> Service:
        service = await bind_mcr(runtime)
        absences.append(next(_absences(loop) for loop in service.working if loop.name == "mcr.absences"))
        loops.extend([*service.serving, *(loop for loop in service.working if loop.name in work)])
        return service

    async with serving([bind], database_url=database_url, **settings) as edge:
        stop = asyncio.Event()
        running = [asyncio.create_task(keep_running(loop, stop)) for loop in loops]
        try:
            yield TableHall(edge, absences[0])
        finally:
            stop.set()
            await asyncio.gather(*running)
