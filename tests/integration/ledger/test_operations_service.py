"""Rebuilds, verifications and whole generations over gRPC, by an operator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_operations_service_pb2 as pb
from libs.pb.sparrow.ledger.v1.ledger_operations_service_pb2_grpc import LedgerOperationsServiceStub
from services.ledger.projections.rebuilding.progress import WorkRows
from services.ledger.servicer import bind
from tests.support.edge import Edge, Refusal, refusal_of, serving
from tests.support.ledger_bench import LedgerBench, points_order

pytestmark = pytest.mark.timeout(120)


@dataclass
class Operated:
    """A served ledger whose work the test drives by hand."""

    edge: Edge
    bench: LedgerBench
    stub: Any

    async def report(self, method: Any, request: Any) -> pb.LedgerWorkReport:
        """Follow work to its report."""
        messages = [message async for message in method(request, metadata=self.edge.as_operator())]
        assert all(message.WhichOneof("payload") == "progress" for message in messages[:-1])
        report: pb.LedgerWorkReport = messages[-1].report
        return report

    async def rebuild(self, request_id: str) -> pb.LedgerWorkReport:
        """Rebuild, or follow a rebuild."""
        return await self.report(self.stub.RebuildBoards, pb.RebuildBoardsRequest(request_id=request_id))

    async def verify(self, request_id: str, **fields: Any) -> pb.LedgerWorkReport:
        """Verify, or follow a verification."""
        request = pb.VerifyLedgerRequest(request_id=request_id, **fields)
        return await self.report(self.stub.VerifyLedger, request)


@pytest.fixture
async def operated(database_url: str) -> AsyncIterator[Operated]:
    """A ledger with results of two days."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        for number in range(20):
            await bench.post(points_order(UUID(int=1 + number % 6), 5 + number, edge.clock.now()))
        await bench.settle()
        edge.clock.advance(timedelta(days=1))
        await bench.settle()
        yield Operated(edge, bench, LedgerOperationsServiceStub(edge.channel))


async def refused_stream(stream: Any) -> Refusal:
    """Read a stream that must be refused."""
    try:
        async for message in stream:
            raise AssertionError(f"the stream brought {message}")
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)
    raise AssertionError("the stream ended well")


async def test_a_rebuild_is_done_once_however_often_it_is_asked_for(operated: Operated) -> None:
    """The same request follows it and gets its report; the id belongs to this work."""
    request_id = str(uuid4())
    first = await operated.rebuild(request_id)
    again = await operated.rebuild(request_id)
    other = pb.VerifyLedgerRequest(request_id=request_id)
    refusal = await refused_stream(operated.stub.VerifyLedger(other, metadata=operated.edge.as_operator()))

    assert (first.switched, first.generation, first.fault_count, first.error) == (True, 3, 0, "")
    assert first.replaced_generation == 2
    assert (first.counts.events, first.counts.entries) == (22, 20)
    assert first.parts and first.digest == first.stored_digest
    assert again == first
    assert refusal.reason == "REQUEST_ID_REUSED"
    assert await operated.bench.count("SELECT generation FROM active_generation") == 3


async def test_a_verification_tells_what_it_read_and_the_digest_at_a_place(operated: Operated) -> None:
    """At the end of the log that is the digest of the boards; one event earlier it is another."""
    end = await operated.verify(str(uuid4()), digest_at=22)
    earlier = await operated.verify(str(uuid4()), digest_at=20)

    assert (end.fault_count, end.counts.events, end.counts.transfers, end.counts.entries) == (0, 22, 20, 20)
    assert end.digest_at == end.digest == end.stored_digest
    assert earlier.digest_at not in {"", end.digest}


async def test_generations_are_listed_and_read_whole(operated: Operated) -> None:
    """Rows in the order of board, day and player; the generation before is there until the next rebuild."""
    await operated.rebuild(str(uuid4()))
    metadata = operated.edge.as_operator()
    listed = await operated.stub.ListBoardGenerations(pb.ListBoardGenerationsRequest(), metadata=metadata)
    read: dict[int, list[tuple[int, str, str, int]]] = {}
    for generation in (2, 0):
        request = pb.ReadBoardRowsRequest(generation=generation)
        parts = [part async for part in operated.stub.ReadBoardRows(request, metadata=metadata)]
        assert parts[0].generation == listed.generations[generation == 0]
        read[generation] = [
            (row.board, row.day, row.player, row.points) for part in parts for row in part.rows
        ]
    unknown = pb.ReadBoardRowsRequest(generation=9)
    refusal = await refused_stream(operated.stub.ReadBoardRows(unknown, metadata=metadata))

    assert [(each.generation, each.active) for each in listed.generations] == [(2, False), (3, True)]
    assert read[0] == read[2] == sorted(read[2])
    assert len(read[0]) == await operated.bench.count("SELECT count(*) FROM board_row_g3")
    assert refusal.reason == "NOT_FOUND"


async def test_only_operators_may(operated: Operated) -> None:
    """Players and services are turned away, and nothing is begun."""
    for metadata in (operated.edge.as_player(), operated.edge.as_service()):
        request = pb.RebuildBoardsRequest(request_id=str(uuid4()))
        refusal = await refused_stream(operated.stub.RebuildBoards(request, metadata=metadata))
        assert refusal.reason == "AUDIENCE"
    assert await operated.bench.count("SELECT count(*) FROM board_work") == 0


async def test_a_rebuild_whose_process_dies_is_told_and_begun_anew(
    operated: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service goes on; the boards answer from where they did."""
    monkeypatch.setenv("SPARROW_FAULT", "rebuild.hash_right:kill")  # in processes that start from now on
    died = await operated.rebuild(str(uuid4()))
    monkeypatch.delenv("SPARROW_FAULT")
    active = await operated.bench.count("SELECT generation FROM active_generation")
    done = await operated.rebuild(str(uuid4()))

    assert "call again" in died.error
    assert (died.switched, active) == (False, 2)
    assert (done.switched, done.error, done.fault_count) == (True, "", 0)


async def test_work_that_died_is_said_to_be_lost(operated: Operated) -> None:
    """Where its process tells nothing any more."""
    request_id = str(uuid4())
    begun = (
        "INSERT INTO board_work (kind, request_id, seen_at) VALUES ('rebuild', $1, now() - interval '1 min')"
    )
    await operated.edge.databases[0].pool.execute(begun, request_id)

    assert "begin again" in (await operated.rebuild(request_id)).error


async def test_work_of_long_ago_is_forgotten_when_other_work_begins(bench: LedgerBench) -> None:
    """But not what the request itself asks about, however old."""
    rows = WorkRows(bench.database)
    for name in ("old", "older", "young"):
        assert await rows.begin("verify", name) is not None
    old = "UPDATE board_work SET seen_at = now() - interval '91 days' WHERE request_id LIKE 'old%'"
    await bench.database.pool.execute(old)

    assert await rows.begin("verify", "old") is None
    kept = await bench.database.pool.fetch("SELECT request_id FROM board_work ORDER BY request_id")
    assert [row["request_id"] for row in kept] == ["old", "young"]
