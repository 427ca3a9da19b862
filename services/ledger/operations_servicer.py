"""The operator's side of the ledger: boards built anew, everything verified, generations looked at.

The work is done in processes of its own and told through its rows, so that any process of the service can
follow it, and a stream that breaks loses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any, Final

import structlog
from google.protobuf.json_format import ParseDict

from libs.eventstore.postgres.database import Database
from libs.eventstore.wake import Wake
from libs.pb.sparrow.ledger.v1 import ledger_operations_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_operations_service_pb2_grpc as pb_grpc
from libs.runtime.errors import Refused
from libs.runtime.request import check_request_id
from libs.runtime.spawned import SpawnedPool
from services.ledger.projections.generations import Stands
from services.ledger.projections.rebuilding import running
from services.ledger.projections.rebuilding.board_rows import Generations, NoGenerationError
from services.ledger.projections.rebuilding.progress import Work, WorkRows
from services.ledger.wire.messages import board_row_message, generation_message

POLL_S: Final = 0.25
AT_ONCE: Final = 2

log = structlog.get_logger()


class LedgerOperationsServicer(pb_grpc.LedgerOperationsServiceServicer):
    """LedgerOperationsService of protos/sparrow/ledger/v1."""

    def __init__(self, database: Database, url: str, wake: Wake) -> None:
        """Work on the database at `url`, which `database` is connected to."""
        self._url = url
        self._works = WorkRows(database)
        self._generations = Generations(database)
        self._wake = wake
        self._pool = SpawnedPool(AT_ONCE, waiting_max=AT_ONCE)
        self._running: set[asyncio.Task[None]] = set()

    async def RebuildBoards(
        self, request: pb.RebuildBoardsRequest, context: Any
    ) -> AsyncIterator[pb.RebuildBoardsResponse]:
        """Build the boards from the log and switch to them."""
        work = await self._begin("rebuild", request.request_id, running.rebuild)
        async for told in self._follow(work):
            if isinstance(told, pb.LedgerWorkReport):
                yield pb.RebuildBoardsResponse(report=told)
            else:
                yield pb.RebuildBoardsResponse(progress=told)

    async def VerifyLedger(
        self, request: pb.VerifyLedgerRequest, context: Any
    ) -> AsyncIterator[pb.VerifyLedgerResponse]:
        """Recompute everything from the log and name what differs."""
        work = await self._begin("verify", request.request_id, running.verify, request.digest_at)
        async for told in self._follow(work):
            if isinstance(told, pb.LedgerWorkReport):
                yield pb.VerifyLedgerResponse(report=told)
            else:
                yield pb.VerifyLedgerResponse(progress=told)

    async def ListBoardGenerations(
        self, request: pb.ListBoardGenerationsRequest, context: Any
    ) -> pb.ListBoardGenerationsResponse:
        """Tell where every generation stands."""
        stands = await self._generations.all()
        return pb.ListBoardGenerationsResponse(
            generations=[generation_message(**asdict(each)) for each in stands]
        )

    async def ReadBoardRows(
        self, request: pb.ReadBoardRowsRequest, context: Any
    ) -> AsyncIterator[pb.ReadBoardRowsResponse]:
        """Read all rows of a generation, of one instant."""
        try:
            async for part in self._generations.rows(request.generation):
                if isinstance(part, Stands):
                    yield pb.ReadBoardRowsResponse(generation=generation_message(**asdict(part)))
                else:
                    yield pb.ReadBoardRowsResponse(rows=[board_row_message(*row) for row in part])
        except NoGenerationError as error:
            raise Refused("NOT_FOUND", str(error), {"field": "generation"}) from error

    async def close(self) -> None:
        """End what runs: it is lost, and nothing with it."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._pool.close()

    async def _begin(self, kind: str, request_id: str, work: Callable[..., None], *arguments: Any) -> str:
        """Begin the work that a request asks for, unless it was begun before; return its request's id."""
        check_request_id(request_id)
        begun = await self._works.begin(kind, request_id)
        if begun is not None:
            task = asyncio.create_task(self._run(begun, work, *arguments))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        elif (await self._works.look(request_id)).kind != kind:
            raise Refused("REQUEST_ID_REUSED", "this request_id was used for other work")
        return request_id

    async def _run(self, work: int, run: Callable[..., None], *arguments: Any) -> None:
        try:
            await self._pool.run(run, self._url, work, *arguments)
        except Exception as error:  # it is told to who asked, and logged
            log.exception("ledger.work_failed", work=work)
            why = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: see the log"
            await self._works.end(work, why)
        await self._wake.nudge()  # the projector looks which generation is active

    async def _follow(self, request_id: str) -> AsyncIterator[pb.LedgerWorkProgress | pb.LedgerWorkReport]:
        """Yield how far the work is, each time it has moved, and what it did in the end."""
        last: Work | None = None
        while True:
            work = await self._works.look(request_id)
            if work.report is not None:
                yield ParseDict(work.report, pb.LedgerWorkReport())
                return
            if work.is_lost:
                yield pb.LedgerWorkReport(error="the work was lost with its process: begin again")
                return
            if work != last:
                yield pb.LedgerWorkProgress(phase=work.phase, done=work.done, total=work.total)
                last = work
            await asyncio.sleep(POLL_S)
