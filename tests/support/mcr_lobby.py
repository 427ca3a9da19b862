"""Persons who wait for tables, invite each other, and play again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from libs.pb.sparrow.mcr.v1 import deal_pb2, lobby_pb2
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import LobbyServiceStub
from tests.support.mcr_hall import WORK, TableHall, TablePlayer, tables_served

MATCHED = lobby_pb2.TICKET_STATE_MATCHED
UNSET = deal_pb2.AI_LEVEL_UNSPECIFIED


@dataclass
class LobbyPlayer(TablePlayer):
    """One account on one device, in the lobby and at tables."""

    @property
    def lobby(self) -> Any:
        """The calls of the lobby."""
        return LobbyServiceStub(self.edge.channel)

    async def queue(
        self,
        deals: int = 0,
        level: deal_pb2.AiLevel.ValueType = UNSET,
        request_id: str | None = None,
    ) -> lobby_pb2.Ticket:
        """Wait for a table."""
        request = pb.CreateTicketRequest(
            deal_count=deals, ai_level=level, request_id=request_id or str(uuid4())
        )
        return (await self._call(self.lobby.CreateTicket, request)).ticket  # type: ignore[no-any-return]

    async def ticket(self, name: str = "tickets/current") -> lobby_pb2.Ticket:
        """Look how a ticket stands."""
        return (await self._call(self.lobby.GetTicket, pb.GetTicketRequest(name=name))).ticket  # type: ignore[no-any-return]

    async def cancel(self, name: str, request_id: str | None = None) -> lobby_pb2.Ticket:
        """Stop waiting."""
        request = pb.CancelTicketRequest(name=name, request_id=request_id or str(uuid4()))
        return (await self._call(self.lobby.CancelTicket, request)).ticket  # type: ignore[no-any-return]

    def watch_ticket(self, name: str = "tickets/current") -> Any:
        """Open a stream on a ticket."""
        return self.lobby.WatchTicket(pb.WatchTicketRequest(name=name), metadata=self.metadata)

    async def seated(self, within_s: float = 20.0) -> str:
        """Wait until the ticket has led to a table; return the table's name."""
        async with asyncio.timeout(within_s):
            async for message in self.watch_ticket():
                if message.HasField("ticket") and message.ticket.table:
                    return str(message.ticket.table)
        raise AssertionError("the ticket led to no table")

    async def invite(
        self,
        persons: int = 0,
        deals: int = 0,
        level: deal_pb2.AiLevel.ValueType = UNSET,
        request_id: str | None = None,
    ) -> lobby_pb2.Ticket:
        """Open a private table."""
        request = pb.CreatePrivateTableRequest(
            persons=persons, deal_count=deals, ai_level=level, request_id=request_id or str(uuid4())
        )
        return (await self._call(self.lobby.CreatePrivateTable, request)).ticket  # type: ignore[no-any-return]

    async def join(self, code: str, request_id: str | None = None) -> lobby_pb2.Ticket:
        """Take a seat at a private table."""
        request = pb.JoinPrivateTableRequest(invitation_code=code, request_id=request_id or str(uuid4()))
        return (await self._call(self.lobby.JoinPrivateTable, request)).ticket  # type: ignore[no-any-return]

    async def offer(self, table: str) -> lobby_pb2.Rematch:
        """Read the offer of a table."""
        return (await self._call(self.lobby.GetRematch, pb.GetRematchRequest(name=table))).rematch  # type: ignore[no-any-return]

    async def accept(self, table: str, request_id: str | None = None) -> lobby_pb2.Rematch:
        """Say yes."""
        request = pb.AcceptRematchRequest(name=table, request_id=request_id or str(uuid4()))
        return (await self._call(self.lobby.AcceptRematch, request)).rematch  # type: ignore[no-any-return]

    async def decline(self, table: str, request_id: str | None = None) -> lobby_pb2.Rematch:
        """Say no."""
        request = pb.DeclineRematchRequest(name=table, request_id=request_id or str(uuid4()))
        return (await self._call(self.lobby.DeclineRematch, request)).rematch  # type: ignore[no-any-return]

    def listen(self, table: str) -> asyncio.Task[list[pb.WatchRematchResponse]]:
        """Follow the offer of a table until the stream ends; the task's result is all that came."""

        async def hear() -> list[pb.WatchRematchResponse]:
            request = pb.WatchRematchRequest(name=table)
            return [each async for each in self.lobby.WatchRematch(request, metadata=self.metadata)]

        return asyncio.create_task(hear())


@asynccontextmanager
async def lobby_served(
    database_url: str, *, matchmaking: bool = True, **settings: Any
) -> AsyncIterator[TableHall]:
    """Serve the lobby and the tables; without `matchmaking` a test steps by itself."""
    work = WORK | {"mcr.timers.rematch"} | ({"mcr.matchmaker"} if matchmaking else set())
    async with tables_served(database_url, work=work, **settings) as hall:
        yield hall
