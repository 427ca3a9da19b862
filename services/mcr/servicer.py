"""The gRPC edge of the MCR service."""

from __future__ import annotations

from typing import Any

import grpc

from libs.pb.sparrow.mcr.v1 import mcr_pb2
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2_grpc as pb_grpc
from libs.rules.mcr.fans_table import FANS
from libs.runtime.clock import Clock
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.service import Runtime, Service
from libs.runtime.tokens import OpaqueTokens

Context = grpc.aio.ServicerContext[Any, Any]
PAGE_KIND = "page.fans"


class McrServicer(pb_grpc.McrServiceServicer):
    """Publishes the table of fans."""

    def __init__(self, clock: Clock, opaque: OpaqueTokens) -> None:
        self._clock = clock
        self._opaque = opaque

    async def ListFans(self, request: pb.ListFansRequest, context: Context) -> pb.ListFansResponse:
        """Return a page of the fans, in the order of the rule book."""
        size = page_size(request.page_size, 100, 100)
        now, bound_to = self._clock.now(), listing(request)
        after = 0
        if request.page_token:
            after = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)["after"]
        fans = [fan for fan in FANS if fan.number > after][:size]
        response = pb.ListFansResponse(
            fans=[mcr_pb2.Fan(number=fan.number, title=fan.title, points=fan.points) for fan in fans]
        )
        if fans and fans[-1] is not FANS[-1]:
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"after": fans[-1].number}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    servicer = McrServicer(runtime.clock, runtime.opaque)
    return Service(
        name="mcr",
        grpc_names=("sparrow.mcr.v1.McrService",),
        register=lambda server: pb_grpc.add_McrServiceServicer_to_server(servicer, server),
    )
