"""The part of the MCR service that keeps nothing: it needs no database."""

from __future__ import annotations

import grpc

from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import add_McrServiceServicer_to_server
from libs.runtime.service import Runtime, Service
from libs.runtime.threaded import ThreadedWork
from services.mcr.scoring.servicer import GRPC_NAME, McrServicer


async def bind_scoring(runtime: Runtime) -> Service:
    """The table of fans, and what hands are worth."""
    scorers = ThreadedWork(1)
    servicer = McrServicer(runtime.clock, runtime.opaque, scorers)

    def register(server: grpc.aio.Server) -> None:
        add_McrServiceServicer_to_server(servicer, server)

    return Service(name="mcr", grpc_names=(GRPC_NAME,), register=register, close=scorers.close)
