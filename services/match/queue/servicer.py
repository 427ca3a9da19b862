"""The gRPC edge of the queues: the part of MatchService that is about tickets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

import grpc

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import match_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.match.v1 import private_game_service_pb2 as private_pb
from libs.pb.sparrow.match.v1 import private_game_service_pb2_grpc as private_grpc
from libs.pb.sparrow.match.v1 import ticket_pb2 as pb
from libs.queueing.figures import show_waits
from libs.queueing.watch import TicketWatch
from libs.runtime.clock import Clock
from libs.runtime.names import parse_ticket
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime
from services.match.domain.queueing import Queue, TicketView
from services.match.queue.matchmaker import BeginMatches, Matchmaker
from services.match.queue.rooms import Rooms, RoomTerms
from services.match.queue.tickets import Tickets
from services.match.wire.tickets import queue_of, stream_message, ticket_message

Context = grpc.aio.ServicerContext[Any, Any]

PRIVATE_GRPC_NAME: Final = "sparrow.match.v1.PrivateGameService"
CURRENT: Final = "tickets/current"


class QueueServicer(pb_grpc.MatchServiceServicer):
    """Serves tickets; the servicer of the service stands on it."""

    def __init__(self, tickets: Tickets, watch: TicketWatch, clock: Clock) -> None:
        self._tickets = tickets
        self._ticket_watch = watch
        self._ticket_clock = clock

    async def CreateTicket(
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Wait in a queue."""
        key, queue = write_request(context, request), queue_of(request.queue)
        view = await self._tickets.create(current_player().account_id, queue, key, self._ticket_clock.now())
        return pb.CreateTicketResponse(ticket=ticket_message(view))

    async def GetTicket(self, request: pb.GetTicketRequest, context: Context) -> pb.GetTicketResponse:
        """Tell how a ticket stands."""
        ticket_id = _ticket_or_current(request.name)
        view = await self._tickets.read(current_player().account_id, ticket_id, self._ticket_clock.now())
        return pb.GetTicketResponse(ticket=ticket_message(view))

    async def CancelTicket(
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Stop waiting."""
        key, ticket_id = write_request(context, request), parse_ticket("name", request.name)
        view = await self._tickets.cancel(
            current_player().account_id, ticket_id, key, self._ticket_clock.now()
        )
        return pb.CancelTicketResponse(ticket=ticket_message(view))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """Tell what becomes of a ticket."""
        account_id = current_player().account_id
        first = await self._tickets.read(
            account_id, _ticket_or_current(request.name), self._ticket_clock.now()
        )
        ticket_id = first.ticket.ticket_id

        async def read() -> TicketView:
            return await self._tickets.read(account_id, ticket_id, self._ticket_clock.now())

        async with aclosing(self._ticket_watch.follow_ticket(ticket_id, read)) as told:
            async for each in told:
                yield stream_message(each)


class PrivateGameServicer(private_grpc.PrivateGameServiceServicer):
    """Serves games by invitation."""

    def __init__(self, rooms: Rooms, clock: Clock) -> None:
        """Translate for `rooms`."""
        self._rooms = rooms
        self._clock = clock

    async def CreatePrivateGame(
        self, request: private_pb.CreatePrivateGameRequest, context: Context
    ) -> private_pb.CreatePrivateGameResponse:
        """Open a game."""
        key = write_request(context, request)
        terms = RoomTerms(queue_of(request.queue), request.seats, request.stake)
        view = await self._rooms.create(current_player().account_id, terms, key, self._clock.now())
        return private_pb.CreatePrivateGameResponse(ticket=ticket_message(view))

    async def JoinPrivateGame(
        self, request: private_pb.JoinPrivateGameRequest, context: Context
    ) -> private_pb.JoinPrivateGameResponse:
        """Take a seat by a code."""
        key, code = write_request(context, request), request.invitation_code
        account_id = current_player().account_id
        view = await self._rooms.join(account_id, code, request.stake_max, key, self._clock.now())
        return private_pb.JoinPrivateGameResponse(ticket=ticket_message(view))


def _ticket_or_current(name: str) -> UUID | None:
    return None if name == CURRENT else parse_ticket("name", name)


class QueueParts:
    """Everything the service needs for its queues, composed."""

    def __init__(self, runtime: Runtime, database: Database, begin_matches: BeginMatches) -> None:
        """`begin_matches` begins matches in the transaction that takes the tickets of their players."""
        clock, bus = runtime.clock, runtime.bus
        valid_for = timedelta(seconds=runtime.settings.ticket_valid_s)
        self.tickets = Tickets(database.store, bus, runtime.randomness, valid_for=valid_for)
        self.watch = TicketWatch(database.store, bus, clock.now)
        matchmakers = {
            f"match.matchmaker.{queue.value}": Matchmaker(
                database.store, begin_matches, bus, clock.now, runtime.randomness, queue=queue
            )
            for queue in Queue
            if queue is not Queue.RACE  # which has a matchmaker of its own
        }
        self.serving = (Loop("match.tickets", self.watch.run),)
        watched = database.telemetry.measures
        figures = Loop("match.queue_figures", partial(show_waits, database, clock.now))
        makers = (Loop(name, matchmaker.run) for name, matchmaker in matchmakers.items())
        self.working = (*makers, *([figures] if watched else []))
