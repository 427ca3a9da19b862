"""What only an operator asks the ledger: boards built anew, everything verified, whole generations read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from tenacity import AsyncRetrying
from tenacity.retry import retry_if_exception_type
from tenacity.stop import stop_after_delay
from tenacity.wait import wait_fixed

from libs.client.calls import LIST_DEADLINE_S, Bearer, Calls, Retries, bearer_metadata
from libs.client.channel import open_channel
from libs.client.errors import UnreachableError, error_of
from libs.client.results import BoardKind
from libs.client.wire import BOARD_TO_WIRE, page_of
from libs.pb.sparrow.ledger.v1 import ledger_operations_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as wire
from libs.pb.sparrow.ledger.v1.ledger_operations_service_pb2_grpc import LedgerOperationsServiceStub
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub

PATIENCE_S: Final = 30.0
PAGE_SIZE: Final = 200
PAST_DEADLINE_S: Final = 60.0
"""A board of the past is computed whole when it is asked for first."""

Told = Callable[[str, int, int], None]
"""Told of a phase, how much of it is done, and of how much (0: nobody knows)."""

BOARD_OF_WIRE: Final = {wire: board for board, wire in BOARD_TO_WIRE.items()}


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """One thing that is not what the log says; `stored` or `expected` is empty where there is nothing."""

    kind: str
    board: str
    day: str
    account: str
    sequence: int
    name: str
    stored: str
    expected: str


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """What a rebuild did, or a verification found."""

    generation: int
    switched: bool
    sequence: int
    events: int
    transfers: int
    entries: int
    rows: int
    stored_digest: str
    digest: str
    digest_at: str
    faults: tuple[LedgerFault, ...]
    fault_count: int
    parts: tuple[tuple[str, float], ...]
    """What took how many seconds, in order."""
    error: str
    replaced_generation: int
    """The one that a rebuild took the place of; 0 of a verification."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One set of boards, and where it stands."""

    generation: int
    active: bool
    sequence: int
    as_of_day: str
    digest: str


@dataclass(frozen=True, slots=True, order=True)
class StoredRow:
    """One player's points on one sheet; rows are ordered as generations are read."""

    board_number: int
    day: date
    player: str
    points: int

    @property
    def board(self) -> str:
        """The board's name."""
        return BOARD_OF_WIRE[self.board_number].value  # type: ignore[index]


class LedgerOperator:
    """A connection for an operator's work on the ledger."""

    def __init__(self, target: str, bearer: Bearer) -> None:
        """Take the endpoint and what mints tokens; the first call dials."""
        self._channel = open_channel(target)
        self._bearer = bearer
        self._calls = Calls(bearer, Retries())
        self._operations = LedgerOperationsServiceStub(self._channel)
        self._ledger = LedgerServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        """Use it in `async with`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._channel.close()

    async def rebuild(self, request_id: str, told: Told) -> LedgerReport:
        """Rebuild the boards, or go on following the rebuild of this id; return what it did."""
        request = pb.RebuildBoardsRequest(request_id=request_id)
        return await self._work(self._operations.RebuildBoards, request, told)

    async def verify(self, request_id: str, told: Told, *, digest_at: int = 0) -> LedgerReport:
        """Verify the ledger, or go on following the verification of this id; return what it found."""
        request = pb.VerifyLedgerRequest(request_id=request_id, digest_at=digest_at)
        return await self._work(self._operations.VerifyLedger, request, told)

    async def generations(self) -> tuple[Generation, ...]:
        """Return the generations of boards, the oldest first."""
        request = pb.ListBoardGenerationsRequest()
        answer = await self._calls.unary(self._operations.ListBoardGenerations, request, LIST_DEADLINE_S)
        return tuple(_generation(each) for each in answer.generations)

    async def rows(self, generation: int = 0) -> AsyncIterator[Generation | StoredRow]:
        """Yield where a generation stands (0: the active one), then its rows in order."""
        request = pb.ReadBoardRowsRequest(generation=generation)
        metadata = bearer_metadata(await self._bearer.token())
        try:
            async for part in self._operations.ReadBoardRows(request, metadata=metadata):
                if part.HasField("generation"):
                    yield _generation(part.generation)
                for row in part.rows:
                    yield StoredRow(row.board, date.fromisoformat(row.day), row.player, row.points)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None

    async def board_as_of(self, board: BoardKind, at: datetime) -> AsyncIterator[tuple[int, str, int]]:
        """Yield (rank, player, points) of a board as it was shown at an instant."""
        instant = Timestamp()
        instant.FromDatetime(at.astimezone(UTC))
        token = ""
        while True:
            request = wire.ListBoardEntriesRequest(
                board=BOARD_TO_WIRE[board], page_size=PAGE_SIZE, page_token=token, as_of_time=instant
            )
            answer = await self._calls.unary(self._ledger.ListBoardEntries, request, PAST_DEADLINE_S)
            page = page_of(answer)
            for entry in page.entries:
                yield entry.rank, entry.player, entry.points
            if not (token := page.next_page_token):
                return

    async def _work(self, method: Any, request: Any, told: Told) -> LedgerReport:
        """Follow work to its end; a stream that breaks is opened again, and the work knows its id."""
        patience = AsyncRetrying(
            retry=retry_if_exception_type(UnreachableError),
            stop=stop_after_delay(PATIENCE_S),
            wait=wait_fixed(1),
            reraise=True,
        )
        async for attempt in patience:
            with attempt:
                return await self._follow(method, request, told)
        raise AssertionError("the attempts end with a report or an error")

    async def _follow(self, method: Any, request: Any, told: Told) -> LedgerReport:
        try:
            async for message in method(request, metadata=bearer_metadata(await self._bearer.token())):
                if message.WhichOneof("payload") == "report":
                    return _report(message.report)
                told(message.progress.phase, message.progress.done, message.progress.total)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None
        raise UnreachableError(
            "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the work"
        )


def _generation(message: pb.BoardGeneration) -> Generation:
    return Generation(message.generation, message.active, message.sequence, message.as_of_day, message.digest)


def _report(message: pb.LedgerWorkReport) -> LedgerReport:
    return LedgerReport(
        generation=message.generation,
        switched=message.switched,
        sequence=message.sequence,
        events=message.counts.events,
        transfers=message.counts.transfers,
        entries=message.counts.entries,
        rows=message.counts.rows,
        stored_digest=message.stored_digest,
        digest=message.digest,
        digest_at=message.digest_at,
        faults=tuple(_fault(each) for each in message.faults),
        fault_count=message.fault_count,
        parts=tuple((part.phase, part.milliseconds / 1000) for part in message.parts),
        error=message.error,
        replaced_generation=message.replaced_generation,
    )


def _fault(message: pb.LedgerFault) -> LedgerFault:
    board = BOARD_OF_WIRE.get(message.board)
    return LedgerFault(
        kind=message.kind,
        board="" if board is None else board.value,
        day=message.day,
        account=message.account,
        sequence=message.sequence,
        name=message.name,
        stored=message.stored,
        expected=message.expected,
    )
