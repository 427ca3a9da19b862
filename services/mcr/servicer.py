"""The composition root of the MCR service."""

from __future__ import annotations

import asyncio

import grpc

from libs.eventstore.loops import event_core_loops
from libs.eventstore.wake import Wake
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import add_LobbyServiceServicer_to_server
from libs.pb.sparrow.mcr.v1.table_history_service_pb2_grpc import add_HistoryServiceServicer_to_server
from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import add_TableServiceServicer_to_server
from libs.pb.sparrow.mcr.v1.table_spectate_service_pb2_grpc import add_SpectateServiceServicer_to_server
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.threaded import ThreadedWork
from services.mcr.history.parts import HistoryParts
from services.mcr.history.servicer import GRPC_NAME as HISTORY_GRPC_NAME
from services.mcr.lobby.parts import LobbyParts
from services.mcr.lobby.servicer import GRPC_NAME as LOBBY_GRPC_NAME
from services.mcr.lobby.store import offer_rematch
from services.mcr.scoring.servicer import GRPC_NAME, McrServicer
from services.mcr.spectating.parts import SpectateParts
from services.mcr.spectating.servicer import GRPC_NAME as SPECTATE_GRPC_NAME
from services.mcr.tables.parts import TableParts
from services.mcr.tables.servicer import GRPC_NAME as TABLE_GRPC_NAME


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("mcr")
    wake = Wake(runtime.bus, "mcr")
    scorers = ThreadedWork(1)
    scoring = McrServicer(runtime.clock, runtime.opaque, scorers)
    tables = TableParts(runtime, database, wake, [offer_rematch])
    lobby = LobbyParts(runtime, database, tables.beginnings, wake)
    history = HistoryParts(runtime, database)
    spectating = SpectateParts(runtime, database)

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_McrServiceServicer_to_server(scoring, server)
        add_TableServiceServicer_to_server(tables.servicer, server)
        add_LobbyServiceServicer_to_server(lobby.servicer, server)
        add_HistoryServiceServicer_to_server(history.servicer, server)
        add_SpectateServiceServicer_to_server(spectating.servicer, server)

    async def drain() -> None:
        await asyncio.gather(tables.hub.drain(), spectating.hub.drain(), lobby.drain())

    async def close() -> None:
        await scorers.close()
        await tables.close()

    core = event_core_loops(database, runtime.bus, "mcr", runtime.holder, site=runtime.settings.site)
    return Service(
        name="mcr",
        grpc_names=(GRPC_NAME, TABLE_GRPC_NAME, LOBBY_GRPC_NAME, HISTORY_GRPC_NAME, SPECTATE_GRPC_NAME),
        register=register,
        serving=(*tables.serving, *lobby.serving, *spectating.serving),
        working=(
            *(Loop(name, body) for name, body in core),
            *tables.working,
            *lobby.working,
            *history.working,
        ),
        ready=tables.outages.is_ready,
        drain=drain,
        close=close,
        feed=database.feed,
    )
