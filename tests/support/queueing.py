"""The queues behind a real server, with matches that are one event, and players who wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from libs.bus.memory import MemoryBus
from libs.bus.port import Bus
from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.pb.sparrow.match.v1 import match_event_pb2, match_service_pb2_grpc, ticket_pb2
from libs.runtime.loops import keep_running
from libs.runtime.service import Bind, Loop, Runtime, Service
from services.match.domain.queueing import Queue, Seating
from services.match.queue.servicer import QueueParts, QueueServicer
from tests.support.edge import Edge, serving

CREATED = "sparrow.match.match_created.v1"


class DeafBus(MemoryBus):
    """A bus that loses every hint."""

    async def send(self, subject: str, data: bytes) -> None:
        """Nobody hears it."""


async def begin_small_matches(
    transaction: Transaction, queue: Queue, seating: Seating, now: datetime
) -> None:
    """Begin matches that are no more than the fact of their beginning."""
    appends: list[StreamAppend] = []
    for match_id, accounts in seating.items():
        fact = match_event_pb2.MatchCreated(mode=queue.value, account_ids=[str(each) for each in accounts])
        event = NewEvent(Part.FACTS, CREATED, 1, now, fact.SerializeToString())
        appends.append(StreamAppend(match_id, STREAM_DOES_NOT_EXIST, (event,)))
    assert isinstance(await transaction.append(appends, recorded_at=now, caller=uuid4()), Appended)


@asynccontextmanager
async def queues_served(
    database_url: str, *, matchmaking: bool = True, bus: Bus | None = None, **settings: Any
) -> AsyncIterator[Edge]:
    """Serve the queues with the loops of serving and working processes; `bus` replaces the usual one."""
    loops: list[Loop] = []

    async def bind(runtime: Runtime) -> Service:
        runtime = replace(runtime, bus=bus or runtime.bus)
        parts = QueueParts(runtime, await runtime.open_database("match"), begin_small_matches)
        servicer = QueueServicer(parts.tickets, parts.watch, runtime.clock)  # type: ignore[abstract]
        loops.extend([*parts.serving, *(parts.working if matchmaking else ())])
        return Service(
            name="match",
            grpc_names=("sparrow.match.v1.MatchService",),
            register=lambda server: match_service_pb2_grpc.add_MatchServiceServicer_to_server(
                servicer, server
            ),
            drain=parts.watch.drain,
        )

    binds: list[Bind] = [bind]
    async with serving(binds, database_url=database_url, **settings) as edge:
        stop = asyncio.Event()
        tasks = [asyncio.create_task(keep_running(loop, stop)) for loop in loops]
        try:
            yield edge
        finally:
            stop.set()
            await asyncio.gather(*tasks)


@dataclass
class QueuePlayer:
    """One account on one device."""

    edge: Edge
    account_id: UUID = field(default_factory=uuid4)
    session_id: UUID = field(default_factory=uuid4)

    @property
    def stub(self) -> Any:
        """The calls."""
        return match_service_pb2_grpc.MatchServiceStub(self.edge.channel)

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Who calls."""
        return self.edge.as_player(self.account_id, self.session_id)

    async def create(
        self,
        request_id: str | None = None,
        queue: ticket_pb2.Queue.ValueType = ticket_pb2.QUEUE_QUICK_MATCH,
    ) -> ticket_pb2.Ticket:
        """Wait in a queue."""
        request = ticket_pb2.CreateTicketRequest(queue=queue, request_id=request_id or str(uuid4()))
        reply: ticket_pb2.CreateTicketResponse = await self.stub.CreateTicket(request, metadata=self.metadata)
        return reply.ticket

    async def get(self, name: str = "tickets/current") -> ticket_pb2.Ticket:
        """Look."""
        request = ticket_pb2.GetTicketRequest(name=name)
        reply: ticket_pb2.GetTicketResponse = await self.stub.GetTicket(request, metadata=self.metadata)
        return reply.ticket

    async def cancel(self, name: str, request_id: str | None = None) -> ticket_pb2.Ticket:
        """Stop waiting."""
        request = ticket_pb2.CancelTicketRequest(name=name, request_id=request_id or str(uuid4()))
        reply: ticket_pb2.CancelTicketResponse = await self.stub.CancelTicket(request, metadata=self.metadata)
        return reply.ticket

    def watch(self, name: str = "tickets/current") -> Any:
        """Open a stream."""
        return self.stub.WatchTicket(ticket_pb2.WatchTicketRequest(name=name), metadata=self.metadata)

    async def matched(self, name: str = "tickets/current", within_s: float = 20.0) -> str:
        """Wait until the ticket has led to a match; return the match's name."""
        async with asyncio.timeout(within_s):
            async for message in self.watch(name):
                if message.HasField("ticket") and message.ticket.match:
                    return str(message.ticket.match)
        raise AssertionError("the ticket led to no match")
