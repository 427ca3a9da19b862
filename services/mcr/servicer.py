"""The composition root of the MCR service."""

from __future__ import annotations

from libs.pb.sparrow.mcr.v1 import mcr_service_pb2_grpc as pb_grpc
from libs.runtime.service import Runtime, Service
from libs.runtime.threaded import ThreadedWork
from services.mcr.scoring.servicer import GRPC_NAME, McrServicer


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    scorers = ThreadedWork(1)
    servicer = McrServicer(runtime.clock, runtime.opaque, scorers)
    return Service(
        name="mcr",
        grpc_names=(GRPC_NAME,),
        register=lambda server: pb_grpc.add_McrServiceServicer_to_server(servicer, server),
        close=scorers.close,
    )
