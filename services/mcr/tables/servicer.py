"""The gRPC edge of tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import table_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_table
from libs.runtime.request import current_player, write_request
from libs.runtime.tokens import OpaqueTokens
from services.mcr.domain.deal.terms import DEALS_MAX, STAND_IN, AiLevel
from services.mcr.tables.presence import Presence
from services.mcr.tables.tables import Place, Tables
from services.mcr.wire.tables import stream_message, table_message, update_message
from services.mcr.wire.views import action_from
from services.mcr.wire.words import AI_LEVELS, key_of

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.mcr.v1.TableService"
RESUME_KIND: Final = "resume.table"
RESUME_VALID_S: Final = 24 * 60 * 60


class TableServicer(pb_grpc.TableServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, tables: Tables, presence: Presence, clock: Clock, opaque: OpaqueTokens) -> None:
        self._tables = tables
        self._presence = presence
        self._clock = clock
        self._opaque = opaque

    async def OpenTable(self, request: pb.OpenTableRequest, context: Context) -> pb.OpenTableResponse:
        """Begin a table against the AI."""
        write, account_id = _receive(context, request), current_player().account_id
        level, deals = _level(request.ai_level), _deal_count(request.deal_count)
        found = await self._tables.open(account_id, level, deals, write, self._clock.now())
        return pb.OpenTableResponse(table=table_message(found.opened, found.deal, account_id))

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """Read a table of the caller's."""
        account_id = current_player().account_id
        found = await self._tables.read(parse_table("name", request.name), account_id)
        return pb.GetTableResponse(table=table_message(found.opened, found.deal, account_id))

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        """Answer a decision."""
        write, table_id = _receive(context, request), parse_table("name", request.name)
        action, account_id = action_from("action", request.action), current_player().account_id
        if not 1 <= request.deal_number <= DEALS_MAX:
            raise invalid_field("deal_number", f"1 to {DEALS_MAX}", "RANGE", min=1, max=DEALS_MAX)
        if request.decision < 0:
            raise invalid_field("decision", "not negative")
        played = await self._tables.act(
            *(table_id, account_id, request.deal_number, request.decision, action, write),
            self._clock.now(),
        )
        return pb.ActResponse(update=update_message(played.events, played.state, account_id))

    async def LeaveTable(self, request: pb.LeaveTableRequest, context: Context) -> pb.LeaveTableResponse:
        """Leave the seat to the AI."""
        write, table_id = _receive(context, request), parse_table("name", request.name)
        account_id = current_player().account_id
        played = await self._tables.leave(table_id, account_id, write, self._clock.now())
        return pb.LeaveTableResponse(update=update_message(played.events, played.state, account_id))

    async def ReturnToTable(
        self, request: pb.ReturnToTableRequest, context: Context
    ) -> pb.ReturnToTableResponse:
        """Take the seat back."""
        write, table_id = _receive(context, request), parse_table("name", request.name)
        account_id = current_player().account_id
        played = await self._tables.come_back(table_id, account_id, write, self._clock.now())
        return pb.ReturnToTableResponse(update=update_message(played.events, played.state, account_id))

    async def WatchTable(
        self, request: pb.WatchTableRequest, context: Context
    ) -> AsyncIterator[pb.WatchTableResponse]:
        """Follow a table of the caller's."""
        table_id, player = parse_table("name", request.name), current_player()
        place = self._left_at(table_id, request.resume_token)
        await self._tables.read(table_id, player.account_id)
        told = self._tables.follow(table_id, player.account_id, player.session_id, place, self._clock.now())
        async with self._presence.held(table_id, player.account_id), aclosing(told) as stream:
            async for each in stream:
                now = self._clock.now()
                token = self._resume_token(table_id, Place(each.deal_id, each.seen.version), now)
                message = stream_message(player.account_id, each.seen, each.opened, token, now)
                if message is not None:
                    yield message

    def _left_at(self, table_id: UUID, resume_token: str) -> Place | None:
        if not resume_token:
            return None
        told = self._opaque.open(RESUME_KIND, resume_token, self._clock.now(), bound_to=table_id.bytes)
        return Place(UUID(told["deal"]), int(told["version"]))

    def _resume_token(self, table_id: UUID, place: Place, now: datetime) -> str:
        # Always as long: even the number of digits would tell whether others have answered.
        left_at = {"deal": str(place.deal_id), "version": f"{place.version:05}"}
        return self._opaque.seal(RESUME_KIND, left_at, now, RESUME_VALID_S, bound_to=table_id.bytes)


def _level(level: deal_pb2.AiLevel.ValueType) -> AiLevel:
    return STAND_IN if level == deal_pb2.AI_LEVEL_UNSPECIFIED else key_of(AI_LEVELS, level)


def _deal_count(count: int) -> int:
    if not 0 <= count <= DEALS_MAX:
        raise invalid_field("deal_count", f"1 to {DEALS_MAX}, or 0 for 1", "RANGE", min=1, max=DEALS_MAX)
    return count or 1


def _receive(context: Context, request: Message) -> Request:
    """What makes this write repeat-safe; marks for fault tests that it came, and that it was answered."""
    fault("mcr.received")

    def replied(_context: Context) -> None:
        fault("mcr.replied")

    context.add_done_callback(replied)  # type: ignore[arg-type]  # the stub names a class that is not there
    return write_request(context, request)
