"""The gRPC edge of histories."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Any, Final, TypeVar
from uuid import UUID

import grpc

from libs.pb.sparrow.mcr.v1 import table_history_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import table_history_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_table
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player
from libs.runtime.tokens import OpaqueTokens
from services.mcr.domain.history import steps
from services.mcr.history.reading import Histories
from services.mcr.wire.history import played_table, replay_message, step_message

Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")

GRPC_NAME: Final = "sparrow.mcr.v1.HistoryService"
REPLAY_KIND: Final = "page.table_replay"
REPLAY_SIZE: Final = 100
REPLAY_SIZE_MAX: Final = 500
FOLDED_A_TURN: Final = 50
TOLD_A_TURN: Final = 4
"""Steps that are folded, or told with the view after each, in about a millisecond; then others have one."""
TABLES_KIND: Final = "page.tables"
TABLES_SIZE: Final = 20
TABLES_SIZE_MAX: Final = 100


class HistoryServicer(pb_grpc.HistoryServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, histories: Histories, clock: Clock, opaque: OpaqueTokens) -> None:
        """Tell what `histories` reads."""
        self._histories = histories
        self._clock = clock
        self._opaque = opaque

    async def ListPlayedTables(
        self, request: pb.ListPlayedTablesRequest, context: Context
    ) -> pb.ListPlayedTablesResponse:
        """Page through the caller's tables in the order of their ids, which is that of birth."""
        size = page_size(request.page_size, TABLES_SIZE, TABLES_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(TABLES_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        found = await self._histories.listed(current_player().account_id, before, size + 1)
        response = pb.ListPlayedTablesResponse(tables=[played_table(told) for _id, told in found[:size]])
        if len(found) > size:
            response.next_page_token = self._opaque.seal(
                TABLES_KIND, {"before": str(found[size - 1][0])}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def GetTableReplay(
        self, request: pb.GetTableReplayRequest, context: Context
    ) -> pb.GetTableReplayResponse:
        """Tell a deal of a closed table step by step."""
        table_id = parse_table("name", request.name)
        if request.deal_number < 0:
            raise invalid_field("deal_number", "not negative")
        size = page_size(request.page_size, REPLAY_SIZE, REPLAY_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        begin = 0
        if request.page_token:
            begin = int(self._opaque.open(REPLAY_KIND, request.page_token, now, bound_to=bound_to)["after"])
        told = await self._histories.deal(table_id, current_player().account_id, request.deal_number)
        folded = steps(told.events, told.seat, is_open=request.open)
        told_steps = [step async for step in in_turns(folded, FOLDED_A_TURN)]
        replay = replay_message(told.table, told.number, told.events)
        replay.step_count = len(told_steps)
        page = map(step_message, islice(told_steps, begin, begin + size))
        replay.steps.extend([step async for step in in_turns(page, TOLD_A_TURN)])
        response = pb.GetTableReplayResponse(replay=replay)
        if begin + size < len(told_steps):
            response.next_page_token = self._opaque.seal(
                REPLAY_KIND, {"after": begin + size}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response


async def in_turns(parts: Iterable[T], at_once: int) -> AsyncIterator[T]:
    """The same; whatever else waits for the event loop has its turn after so many of them."""
    for number, part in enumerate(parts, 1):
        yield part
        if number % at_once == 0:
            await asyncio.sleep(0)
