"""The gRPC edge of the lobby."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

import grpc

from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2_grpc as pb_grpc
from libs.queueing.rematch_watch import RematchWatch
from libs.queueing.watch import TicketWatch
from libs.rules.pairing.rematch import Answer
from libs.runtime.clock import Clock
from libs.runtime.names import parse_table, parse_ticket
from libs.runtime.request import current_player, write_request
from services.mcr.domain.lobby import Rematch, TicketView
from services.mcr.lobby.rematches import Rematches
from services.mcr.lobby.rooms import Rooms
from services.mcr.lobby.tickets import Tickets
from services.mcr.wire.lobby import level_of, queue_of, stream_message, ticket_message
from services.mcr.wire.rematches import offer_message, rematch_message

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.mcr.v1.LobbyService"
CURRENT: Final = "tickets/current"


class LobbyServicer(pb_grpc.LobbyServiceServicer):
    """Translates, asks, translates back."""

    def __init__(
        self,
        tickets: Tickets,
        rooms: Rooms,
        rematches: Rematches,
        tickets_watch: TicketWatch,
        offers_watch: RematchWatch,
        clock: Clock,
    ) -> None:
        self._tickets = tickets
        self._rooms = rooms
        self._rematches = rematches
        self._tickets_watch = tickets_watch
        self._offers_watch = offers_watch
        self._clock = clock

    async def CreateTicket(
        self, request: pb.CreateTicketRequest, context: Context
    ) -> pb.CreateTicketResponse:
        """Wait for a table."""
        write, account_id = write_request(context, request), current_player().account_id
        queue, level = queue_of(request.deal_count), level_of(request.ai_level)
        view = await self._tickets.create(account_id, queue, level, write, self._clock.now())
        return pb.CreateTicketResponse(ticket=ticket_message(view))

    async def GetTicket(self, request: pb.GetTicketRequest, context: Context) -> pb.GetTicketResponse:
        """Tell how a ticket stands."""
        return pb.GetTicketResponse(ticket=ticket_message(await self._read(_named(request.name))))

    async def CancelTicket(
        self, request: pb.CancelTicketRequest, context: Context
    ) -> pb.CancelTicketResponse:
        """Stop waiting."""
        write, ticket_id = write_request(context, request), parse_ticket("name", request.name)
        account_id = current_player().account_id
        view = await self._tickets.cancel(account_id, ticket_id, write, self._clock.now())
        return pb.CancelTicketResponse(ticket=ticket_message(view))

    async def WatchTicket(
        self, request: pb.WatchTicketRequest, context: Context
    ) -> AsyncIterator[pb.WatchTicketResponse]:
        """Tell what becomes of a ticket."""
        ticket_id = (await self._read(_named(request.name))).ticket.ticket_id

        async def read() -> TicketView:
            return await self._read(ticket_id)

        async with aclosing(self._tickets_watch.follow_ticket(ticket_id, read)) as told:
            async for each in told:
                yield stream_message(each)

    async def CreatePrivateTable(
        self, request: pb.CreatePrivateTableRequest, context: Context
    ) -> pb.CreatePrivateTableResponse:
        """Open a table for invited persons."""
        write, account_id = write_request(context, request), current_player().account_id
        queue, level = queue_of(request.deal_count), level_of(request.ai_level)
        now = self._clock.now()
        view = await self._rooms.create(account_id, request.persons, queue, level, write, now)
        return pb.CreatePrivateTableResponse(ticket=ticket_message(view))

    async def JoinPrivateTable(
        self, request: pb.JoinPrivateTableRequest, context: Context
    ) -> pb.JoinPrivateTableResponse:
        """Take a seat by a code."""
        write, account_id = write_request(context, request), current_player().account_id
        view = await self._rooms.take_seat(account_id, request.invitation_code, write, self._clock.now())
        return pb.JoinPrivateTableResponse(ticket=ticket_message(view))

    async def GetRematch(self, request: pb.GetRematchRequest, context: Context) -> pb.GetRematchResponse:
        """Read an offer."""
        rematch = await self._offer(parse_table("name", request.name))
        return pb.GetRematchResponse(rematch=rematch_message(rematch))

    async def AcceptRematch(
        self, request: pb.AcceptRematchRequest, context: Context
    ) -> pb.AcceptRematchResponse:
        """Say yes."""
        rematch = await self._answer(request, context, Answer.ACCEPTED)
        return pb.AcceptRematchResponse(rematch=rematch_message(rematch))

    async def DeclineRematch(
        self, request: pb.DeclineRematchRequest, context: Context
    ) -> pb.DeclineRematchResponse:
        """Say no."""
        rematch = await self._answer(request, context, Answer.DECLINED)
        return pb.DeclineRematchResponse(rematch=rematch_message(rematch))

    async def WatchRematch(
        self, request: pb.WatchRematchRequest, context: Context
    ) -> AsyncIterator[pb.WatchRematchResponse]:
        """Tell what everybody says."""
        table_id = parse_table("name", request.name)

        async def read() -> Rematch:
            return await self._offer(table_id)

        async with aclosing(self._offers_watch.follow_offer(table_id, read)) as told:
            async for each in told:
                yield offer_message(each)

    async def _read(self, ticket_id: UUID | None) -> TicketView:
        return await self._tickets.read(current_player().account_id, ticket_id, self._clock.now())

    async def _offer(self, table_id: UUID) -> Rematch:
        return await self._rematches.read(current_player().account_id, table_id, self._clock.now())

    async def _answer(
        self, request: pb.AcceptRematchRequest | pb.DeclineRematchRequest, context: Context, said: Answer
    ) -> Rematch:
        write, table_id = write_request(context, request), parse_table("name", request.name)
        account_id = current_player().account_id
        return await self._rematches.answer(account_id, table_id, said, write, self._clock.now())


def _named(name: str) -> UUID | None:
    """The ticket of this name; None for the caller's present one."""
    return None if name == CURRENT else parse_ticket("name", name)
