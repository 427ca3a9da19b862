"""Streams at the edge: limits, drains, cancellations, failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1 import match_service_pb2_grpc as pb_grpc
from libs.runtime.service import Runtime, Service
from tests.support.edge import Edge, refusal_of, refused, serving

NAME = f"matches/{UUID(int=1)}"
ANA = UUID(int=2)


class Watching:
    """Serves `Watch` alone: a heartbeat, then whatever the match's number asks for."""

    def __init__(self) -> None:
        self.open = 0
        self.ending = asyncio.Event()

    async def Watch(self, request: pb.WatchRequest, context: Any) -> AsyncIterator[pb.WatchResponse]:  # noqa: N802
        """Say a word, wait for the drain, say why it ends."""
        self.open += 1
        try:
            yield pb.WatchResponse(resume_token="r1")
            if request.resume_token == "break":
                raise RuntimeError("the secret is swordfish")
            while request.resume_token == "flood":
                yield pb.WatchResponse(resume_token="x" * 10_000)
            await self.ending.wait()
            yield pb.WatchResponse(end=pb.WatchResponse.End(reason="DRAINING"))
        finally:
            self.open -= 1

    async def drain(self) -> None:
        """End all streams with their reason."""
        self.ending.set()


def _whole(servicer: Watching) -> Any:
    """Return the service with the stand-in's `Watch`; the rest of it is not there."""
    return type("Whole", (pb_grpc.MatchServiceServicer,), {"Watch": staticmethod(servicer.Watch)})()


@asynccontextmanager
async def watching(**settings: Any) -> AsyncIterator[tuple[Edge, Watching]]:
    """Serve the stand-in."""
    servicer = Watching()

    async def bind(_runtime: Runtime) -> Service:
        return Service(
            "match",
            ("sparrow.match.v1.MatchService",),
            lambda server: pb_grpc.add_MatchServiceServicer_to_server(_whole(servicer), server),
            drain=servicer.drain,
        )

    async with serving([bind], **settings) as edge:
        yield edge, servicer


def watch(edge: Edge, account_id: UUID = ANA, resume_token: str = "") -> Any:
    """Open a stream."""
    request = pb.WatchRequest(name=NAME, resume_token=resume_token)
    return pb_grpc.MatchServiceStub(edge.channel).Watch(request, metadata=edge.as_player(account_id))


async def until(condition: Any) -> None:
    """Wait until it holds."""
    for _ in range(400):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never came to hold")


async def test_a_player_holds_so_many_streams_and_no_more() -> None:
    """One too many is STREAM_LIMIT with a time to retry; others may; one that ended makes room."""
    async with watching(streams_per_player=3) as (edge, servicer):
        streams = [watch(edge) for _ in range(3)]
        for stream in streams:
            await stream.read()
        refusal = await refused(watch(edge).read())
        await watch(edge, uuid4()).read()
        streams[0].cancel()
        await until(lambda: servicer.open == 3)

        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "STREAM_LIMIT")
        assert refusal.retry_after_ms is not None
        assert (await watch(edge).read()).resume_token == "r1"


async def test_a_process_holds_so_many_streams_and_no_more() -> None:
    """The cap counts all players together."""
    async with watching(streams_max=4) as (edge, _):
        for _number in range(4):
            await watch(edge, uuid4()).read()

        assert (await refused(watch(edge, uuid4()).read())).reason == "STREAM_LIMIT"


async def test_a_thousand_streams_that_nobody_reads_hurt_nobody() -> None:
    """A player opens 1,000 streams and reads none: 8 are held, the others refused, calls go on."""
    async with watching() as (edge, servicer):
        greedy = [watch(edge, resume_token="flood") for _ in range(1_000)]
        await until(lambda: servicer.open == 8)
        await until(lambda: sum(stream.done() for stream in greedy) == 992)

        assert servicer.open == 8
        modest = watch(edge, uuid4())
        assert (await modest.read()).resume_token == "r1"
        for stream in [*greedy, modest]:
            stream.cancel()
        await until(lambda: servicer.open == 0)


async def test_a_client_that_does_not_read_is_told_to_resume() -> None:
    """Its stream ends after a while, its place is free again, and what was sent arrives before the reason."""
    async with watching(stream_write_timeout_ms=300) as (edge, servicer):
        stream = watch(edge, resume_token="flood")
        await until(lambda: servicer.open == 1)
        await until(lambda: servicer.open == 0)
        received = 0
        refusal = None
        while refusal is None:
            try:
                async with asyncio.timeout(30):
                    message = await stream.read()
                assert message is not grpc.aio.EOF
                received += 1
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)

        assert received > 1
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER")


async def test_a_client_that_goes_away_ends_its_handler() -> None:
    """The handler's own clean-up runs."""
    async with watching() as (edge, servicer):
        stream = watch(edge)
        await stream.read()
        stream.cancel()

        await until(lambda: servicer.open == 0)


async def test_a_stream_that_breaks_tells_nothing() -> None:
    """What came before arrives; then INTERNAL with its ErrorInfo."""
    async with watching() as (edge, _):
        stream = watch(edge, resume_token="break")
        first = await stream.read()
        refusal = await refused(stream.read())

        assert first.resume_token == "r1"
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert "swordfish" not in refusal.message


async def test_draining_ends_streams_with_their_reason() -> None:
    """The last message says why, the status is OK, and the drain takes no longer than that."""
    async with watching() as (edge, _):
        stream = watch(edge)
        await stream.read()
        async with asyncio.timeout(30):
            drain = asyncio.create_task(edge.server.drain())
            last = await stream.read()
            end = await stream.read()
            await drain

        assert last.end.reason == "DRAINING"
        assert end is grpc.aio.EOF
        assert await stream.code() == grpc.StatusCode.OK


@pytest.mark.parametrize("deadline_s", [0.2])
async def test_a_deadline_ends_a_stream(deadline_s: float) -> None:
    """A client that set a deadline gets DEADLINE_EXCEEDED, and its handler ends."""
    async with watching() as (edge, servicer):
        request = pb.WatchRequest(name=NAME)
        stream = pb_grpc.MatchServiceStub(edge.channel).Watch(
            request, metadata=edge.as_player(), timeout=deadline_s
        )
        await stream.read()
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await stream.read()

        assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        await until(lambda: servicer.open == 0)
