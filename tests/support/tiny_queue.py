"""The queue of the tiny Sparrow: the first two who wait play; the test says what else happens to tickets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from libs.pb.sparrow.match.v1 import ticket_pb2
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceServicer

if TYPE_CHECKING:
    from tests.support.tiny_sparrow import TinySparrow

Context = grpc.aio.ServicerContext[Any, Any]
WAITING = ticket_pb2.TICKET_STATE_WAITING


class TinyQueue(MatchServiceServicer):
    """Serves tickets; `new_match` makes the match of two players and returns its name."""

    def __init__(self, tiny: TinySparrow, new_match: Callable[[str], str]) -> None:
        self._tiny_of_queue = tiny
        self._new_match = new_match
        self.tickets: dict[str, ticket_pb2.Ticket] = {}
        self.seats: dict[str, str] = {}
        self.moved = asyncio.Condition()
        tiny.queue = self

    async def become(self, player: str, state: ticket_pb2.TicketState.ValueType, match: str = "") -> None:
        """Let something become of a player's ticket."""
        async with self.moved:
            self.tickets[player].state = state
            self.tickets[player].match = match
            if match:
                self.seats[player] = match
            self.moved.notify_all()

    async def CreateTicket(self, request: Any, context: Context) -> Any:  # noqa: N802 the contract names it
        """Wait; the second one who does gets the match."""
        player = await self._tiny_of_queue.player(context)

        async def act() -> ticket_pb2.CreateTicketResponse:
            if player in self.seats:
                await _refuse(context, "ALREADY_SEATED", {"match": self.seats[player]})
            own = self.tickets.get(player)
            if own is not None and own.state == WAITING:
                await _refuse(context, "ALREADY_QUEUED", {"name": own.name})
            ticket = ticket_pb2.Ticket(name=f"tickets/{uuid4()}", queue=request.queue, state=WAITING)
            ticket.expected_wait.FromSeconds(7)
            others = [each for each, held in self.tickets.items() if held.state == WAITING]
            self.tickets[player] = ticket
            answer = ticket_pb2.CreateTicketResponse(ticket=ticket)
            if others:
                match = self._new_match(others[0])
                for each in (others[0], player):
                    await self.become(each, ticket_pb2.TICKET_STATE_MATCHED, match)
            return answer

        return await self._tiny_of_queue.once(request, context, player, act)

    async def GetTicket(self, request: Any, context: Context) -> Any:  # noqa: N802
        """Tell how it stands."""
        return ticket_pb2.GetTicketResponse(ticket=self.tickets[await self._tiny_of_queue.player(context)])

    async def CancelTicket(self, request: Any, context: Context) -> Any:  # noqa: N802
        """Stop waiting."""
        player = await self._tiny_of_queue.player(context)

        async def act() -> ticket_pb2.CancelTicketResponse:
            if self.tickets[player].state != WAITING:
                await _refuse(context, "TICKET_MATCHED", {"match": self.tickets[player].match})
            await self.become(player, ticket_pb2.TICKET_STATE_CANCELLED)
            return ticket_pb2.CancelTicketResponse(ticket=self.tickets[player])

        return await self._tiny_of_queue.once(request, context, player, act)

    async def WatchTicket(self, request: Any, context: Context) -> AsyncIterator[Any]:  # noqa: N802
        """Tell what becomes of it; breaks where the faults say so."""
        player, faults = await self._tiny_of_queue.player(context), self._tiny_of_queue.faults
        if faults.refuse:
            await self._tiny_of_queue.refuse(context, faults.refuse.pop(0))
        yield ticket_pb2.WatchTicketResponse(ticket=self.tickets[player])
        if faults.break_streams_after:
            faults.break_streams_after.pop(0)
            await context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")
        async with self.moved:
            while self.tickets[player].state == WAITING:
                await self.moved.wait()
        yield ticket_pb2.WatchTicketResponse(ticket=self.tickets[player])
        yield ticket_pb2.WatchTicketResponse(end=ticket_pb2.WatchTicketResponse.End(reason="OVER"))


async def _refuse(context: Context, reason: str, metadata: dict[str, str]) -> None:
    packed = AnyMessage()
    packed.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="sparrow", metadata=metadata))
    code = grpc.StatusCode.FAILED_PRECONDITION
    status = status_pb2.Status(code=code.value[0], message=reason, details=[packed])
    await context.abort_with_status(rpc_status.to_status(status))
