"""The gRPC edge of the solitaire service."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

import grpc

from libs import kernel
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2_grpc as pb_grpc
from libs.rules.solitaire import catalogue
from libs.rules.solitaire.levels import LEVEL_COUNT, is_level
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import parse_layout
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.service import Runtime, Service
from libs.runtime.solving import solving_pool
from libs.runtime.spawned import SpawnedPool
from libs.runtime.threaded import ThreadedWork
from libs.runtime.tokens import OpaqueTokens
from services.solitaire.domain import solve_position
from services.solitaire.wire import deal_message, layout_message, read_position, verdict_message

Context = grpc.aio.ServicerContext[Any, Any]
DEALS_KEPT = 2_000
PAGE_KIND = "page.layouts"


@lru_cache(maxsize=DEALS_KEPT)
def _deal(level: int) -> pb.DealLevelResponse:
    return deal_message(kernel.level_deal(level))


class SolitaireServicer(pb_grpc.SolitaireServiceServicer):
    """Answers questions about boards; keeps nothing but caches."""

    def __init__(self, clock: Clock, opaque: OpaqueTokens, solvers: SpawnedPool | ThreadedWork) -> None:
        self._clock = clock
        self._opaque = opaque
        self._solvers = solvers
        self._names = sorted(catalogue.layout_names())

    async def ListLayouts(self, request: pb.ListLayoutsRequest, context: Context) -> pb.ListLayoutsResponse:
        """Return a page of the catalogue, by name."""
        size = page_size(request.page_size, 50, 200)
        now, bound_to = self._clock.now(), listing(request)
        start = 0
        if request.page_token:
            after = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)["after"]
            start = sum(name <= after for name in self._names)
        names = self._names[start : start + size]
        layouts = [layout_message(catalogue.layout(name)) for name in names]
        response = pb.ListLayoutsResponse(layouts=layouts)
        if start + size < len(self._names):
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"after": names[-1]}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def GetLayout(self, request: pb.GetLayoutRequest, context: Context) -> pb.GetLayoutResponse:
        """Return one layout."""
        name = parse_layout("name", request.name)
        if name not in self._names:
            raise Refused("NOT_FOUND", f"there is no layout {request.name}", {"name": request.name})
        return pb.GetLayoutResponse(layout=layout_message(catalogue.layout(name)))

    async def DealLevel(self, request: pb.DealLevelRequest, context: Context) -> pb.DealLevelResponse:
        """Return the deal of a level; dealing takes some milliseconds the first time."""
        if not is_level(request.level):
            raise invalid_field("level", f"a level from 1 to {LEVEL_COUNT}", "RANGE", min=1, max=LEVEL_COUNT)
        return await asyncio.to_thread(_deal, request.level)

    async def SolvePosition(
        self, request: pb.SolvePositionRequest, context: Context
    ) -> pb.SolvePositionResponse:
        """Return the verdict on a position, found off the event loop."""
        position = await asyncio.to_thread(read_position, request)
        return verdict_message(await self._solvers.run(solve_position, position))


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    solvers = solving_pool(1)
    servicer = SolitaireServicer(runtime.clock, runtime.opaque, solvers)
    return Service(
        name="solitaire",
        grpc_names=("sparrow.solitaire.v1.SolitaireService",),
        register=lambda server: pb_grpc.add_SolitaireServiceServicer_to_server(servicer, server),
        close=solvers.close,
    )
