"""The gRPC edge of spectating."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import grpc

from libs.eventsourcing.following import End, Heartbeat
from libs.pb.sparrow.mcr.v1 import table_spectate_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import table_spectate_service_pb2_grpc as pb_grpc
from libs.rules.mcr.wall import SEATS
from libs.runtime.clock import Clock
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import parse_table, player_name, table_name
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player
from libs.runtime.tokens import OpaqueTokens
from libs.spectating.hub import Snapshot
from libs.spectating.stages import LeftAt
from services.mcr.spectating.tables import Shown, SpectatedTables
from services.mcr.tables.live import LiveTable
from services.mcr.wire.spectating import is_over, summary_at
from services.mcr.wire.words import timestamp

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.mcr.v1.SpectateService"
PAGE_KIND: Final = "page.live_tables"
PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100
RESUME_KIND: Final = "resume.spectate_table"
RESUME_VALID_S: Final = 24 * 60 * 60
_MILLISECOND: Final = timedelta(milliseconds=1)


class SpectateServicer(pb_grpc.SpectateServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, tables: SpectatedTables, clock: Clock, opaque: OpaqueTokens, delay: timedelta) -> None:
        """State `delay` with everything that is shown."""
        self._tables = tables
        self._clock = clock
        self._opaque = opaque
        self._delay = delay

    async def ListLive(self, request: pb.ListLiveRequest, context: Context) -> pb.ListLiveResponse:
        """Page through the tables that can be watched."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        found = await self._tables.listed(current_player().account_id, before, size + 1)
        response = pb.ListLiveResponse(
            tables=map(_live_table, found[:size]),
            delay_ms=self._delay // _MILLISECOND,
            shown_time=timestamp(now - self._delay),
        )
        if len(found) > size:
            last = {"before": str(found[size - 1].table_id)}
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, last, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def Spectate(
        self, request: pb.SpectateRequest, context: Context
    ) -> AsyncIterator[pb.SpectateResponse]:
        """Follow a table at which the caller has no seat."""
        table_id, account_id = parse_table("name", request.name), current_player().account_id
        left_at = self._left_at(table_id, request.resume_token)
        found = await self._tables.open(table_id, account_id, request.invitation_code, left_at)
        async with aclosing(self._tables.follow(found, account_id, left_at)) as stream:
            async for shown in stream:
                message = self._message(table_id, shown)
                if message is not None:
                    yield message

    def _message(self, table_id: UUID, shown: Shown) -> pb.SpectateResponse | None:
        """One message; None where spectators see nothing of a change."""
        now, seen = self._clock.now(), shown.seen
        message = pb.SpectateResponse(
            resume_token=self._resume_token(table_id, shown.deal_id, seen.version, now),
            delay_ms=self._delay // _MILLISECOND,
            shown_time=timestamp(now - self._delay),
        )
        match seen:
            case Snapshot(match=told):
                message.snapshot.CopyFrom(told)
                message.snapshot.summary.CopyFrom(summary_at(shown.opened, told.deal))
            case Heartbeat():
                message.heartbeat.time.CopyFrom(timestamp(now))
            case End(reason=reason):
                message.end.reason, message.end.text = reason, ending_text(reason)
            case _ if seen.update is None:
                return None
            case _:
                message.update.CopyFrom(seen.update)
                if is_over(seen.update.deal):
                    message.update.summary.CopyFrom(summary_at(shown.opened, seen.update.deal))
        return message

    def _left_at(self, table_id: UUID, resume_token: str) -> LeftAt | None:
        """Where a reader left the table."""
        if not resume_token:
            return None
        now = self._clock.now()
        told = self._opaque.open(RESUME_KIND, resume_token, now, bound_to=table_id.bytes)
        return LeftAt(UUID(told["deal"]), int(told["version"]))

    def _resume_token(self, table_id: UUID, deal_id: UUID, version: int, now: datetime) -> str:
        # Always as long: even the number of digits would tell how often seats have answered.
        left_at = {"deal": str(deal_id), "version": f"{version:05}"}
        return self._opaque.seal(RESUME_KIND, left_at, now, RESUME_VALID_S, bound_to=table_id.bytes)


def _live_table(table: LiveTable) -> pb.LiveTable:
    return pb.LiveTable(
        name=table_name(table.table_id),
        players=map(player_name, table.accounts),
        ai_players=SEATS - len(table.accounts),
        create_time=timestamp(table.created_at),
    )
