"""The composition root of the MCR service."""

from __future__ import annotations

import grpc

from libs.eventstore.loops import event_core_loops
from libs.eventstore.wake import Wake
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import add_TableServiceServicer_to_server
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.threaded import ThreadedWork
from services.mcr.scoring.servicer import GRPC_NAME, McrServicer
from services.mcr.tables.parts import TableParts
from services.mcr.tables.servicer import GRPC_NAME as TABLE_GRPC_NAME


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("mcr")
    wake = Wake(runtime.bus, "mcr")
    scorers = ThreadedWork(1)
    scoring = McrServicer(runtime.clock, runtime.opaque, scorers)
    tables = TableParts(runtime, database, wake)

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_McrServiceServicer_to_server(scoring, server)
        add_TableServiceServicer_to_server(tables.servicer, server)

    async def close() -> None:
        await scorers.close()
        await tables.thinkers.close()

    core = event_core_loops(database, runtime.bus, "mcr", runtime.holder, site=runtime.settings.site)
    return Service(
        name="mcr",
        grpc_names=(GRPC_NAME, TABLE_GRPC_NAME),
        register=register,
        serving=tables.serving,
        working=(*(Loop(name, body) for name, body in core), *tables.working),
        ready=tables.outages.is_ready,
        drain=tables.hub.drain,
        close=close,
        feed=database.feed,
    )
