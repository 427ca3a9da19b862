"""A serving process that is killed at the named points of a command: the repeat gets one answer, once.

Whatever point it dies at, the same request sent again to the next process is answered as if nothing had been,
and the move, the attempt or the points exist exactly once.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys, access_token
from tests.support.level_player import solution
from tests.support.service_process import ServiceProcess
from tests.support.waiting import until

POINTS = ("match.received", "match.append_sent", "match.committed")
TOUCH_POINTS = ("match.received", "match.committed")
READY_S = 150  # for a machine that has much else to do
DIALS_ANEW = (
    ("grpc.use_local_subchannel_pool", 1),
    # By itself a channel would pause longer after each refusal, soon longer than the process needs to start.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 200),
)

pytestmark = pytest.mark.timeout(400)


@dataclass
class Host:
    """Where processes of the match service run, one after the other, on one database."""

    database_url: str
    keys_dir: Path
    port: int
    account_id: UUID
    session_id: UUID

    @asynccontextmanager
    async def process(self, fault: str = "") -> AsyncIterator[Any]:
        """Run a process, armed or not, and give a stub to it; it is gone afterwards."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_KEYS_DIR": str(self.keys_dir),
            "SPARROW_PORT": str(self.port),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_SERVICE_ADDRESSES": '{"ledger": "127.0.0.1:1"}',  # no joker is used here
            "SPARROW_FAULT": fault,
        }
        child = ServiceProcess(["match", "solitaire"], settings)
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", options=DIALS_ANEW)
        try:
            await until(lambda: _is_ready(channel, child), READY_S)
            yield MatchServiceStub(channel)
        finally:
            await channel.close()
            await child.end()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Who calls."""
        keys = Keys.load(self.keys_dir)
        token, _until = access_token(keys, self.account_id, self.session_id, SystemClock().now())
        return (("authorization", f"Bearer {token}"),)

    async def count(self, query: str) -> int:
        """Ask the database."""
        connection = await asyncpg.connect(self.database_url, server_settings={"search_path": "match"})
        try:
            return int(await connection.fetchval(query))
        finally:
            await connection.close()


def _is_ready(channel: grpc.aio.Channel, child: ServiceProcess) -> bool:
    """Whether the process answers; a process that has ended never will."""
    assert child.returncode is None, f"the process ended with {child.returncode} before it answered"
    return channel.get_state(try_to_connect=True) is grpc.ChannelConnectivity.READY


@pytest.fixture
def host(database_url: str) -> Iterator[Host]:
    """A host without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        yield Host(database_url, Path(folder), free_port(secrets.token_hex(4)), uuid4(), uuid4())


async def _start(host: Host, stub: Any) -> match_pb2.Match:
    request = pb.StartLevelRequest(level=1, request_id=str(uuid4()))
    reply: pb.StartLevelResponse = await stub.StartLevel(request, metadata=host.metadata)
    return reply.match


async def _touch(host: Host, stub: Any, request: pb.TouchRequest) -> match_pb2.MatchUpdate:
    reply: pb.TouchResponse = await stub.Touch(request, metadata=host.metadata)
    return reply.update


def _touch_request(match: match_pb2.Match, tile: int, version: int) -> pb.TouchRequest:
    return pb.TouchRequest(
        name=match.name, tile=tile, expected_board_version=version, request_id=str(uuid4())
    )


async def _dies(call: Awaitable[object]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("point", TOUCH_POINTS)
async def test_a_touch_happens_once(host: Host, point: str) -> None:
    """The tile is lifted once, and a stream resumed from before shows it once."""
    async with host.process(f"{point}:kill:2") as stub:
        match = await _start(host, stub)
        stream = stub.Watch(pb.WatchRequest(name=match.name), metadata=host.metadata)
        token = (await stream.read()).resume_token
        request = _touch_request(match, solution(1)[0], 0)
        await _dies(_touch(host, stub, request))
    async with host.process() as stub:
        first, second = await _touch(host, stub, request), await _touch(host, stub, request)
        stream = stub.Watch(pb.WatchRequest(name=match.name, resume_token=token), metadata=host.metadata)
        seen = (await stream.read()).update
        if not seen.outcome:  # of a slow start: that nobody served is told first
            seen = (await stream.read()).update
        read = (await stub.GetMatch(pb.GetMatchRequest(name=match.name), metadata=host.metadata)).match

    assert first == second == seen
    assert read.board.board_version == 1


@pytest.mark.parametrize("point", POINTS)
async def test_the_last_pair_pays_once(host: Host, point: str) -> None:
    """One finish, one row, one set of points; the repeat tells the same result."""
    *moves, last = solution(1)
    passage = 2 if point == "match.append_sent" else len(moves) + 2  # touches between pass it elsewhere
    async with host.process(f"{point}:kill:{passage}") as stub:
        match, version = await _start(host, stub), 0
        for tile in moves:
            version = (await _touch(host, stub, _touch_request(match, tile, version))).board_version
        finish = _touch_request(match, last, version)
        await _dies(_touch(host, stub, finish))
    async with host.process() as stub:
        first, second = await _touch(host, stub, finish), await _touch(host, stub, finish)

    assert first == second
    assert (first.result.first_completion_points, first.result.time_bonus_points) == (10, 10)
    cleared = "SELECT count(*) FROM event WHERE type = 'sparrow.match.attempt_cleared.v1'"
    assert await host.count(cleared) == 1
    assert await host.count("SELECT count(*) FROM attempt WHERE state = 'cleared'") == 1


@pytest.mark.parametrize("point", POINTS)
async def test_a_restart_leaves_one_attempt_running(host: Host, point: str) -> None:
    """The old attempt ends and the new one starts: both or neither, once."""
    async with host.process(f"{point}:kill:2") as stub:
        match = await _start(host, stub)
        request = pb.RestartLevelRequest(name=match.name, request_id=str(uuid4()))
        await _dies(stub.RestartLevel(request, metadata=host.metadata))
    async with host.process() as stub:
        first = await stub.RestartLevel(request, metadata=host.metadata)
        second = await stub.RestartLevel(request, metadata=host.metadata)

    assert first == second
    assert await host.count("SELECT count(*) FROM attempt WHERE state = 'running'") == 1
    assert await host.count("SELECT count(*) FROM attempt") == 2


@pytest.mark.parametrize("point", POINTS)
async def test_a_start_starts_one_attempt(host: Host, point: str) -> None:
    """However often it is asked for."""
    request = pb.StartLevelRequest(level=1, request_id=str(uuid4()))
    async with host.process(f"{point}:kill") as stub:
        await _dies(stub.StartLevel(request, metadata=host.metadata))
    async with host.process() as stub:
        first = await stub.StartLevel(request, metadata=host.metadata)
        second = await stub.StartLevel(request, metadata=host.metadata)

    assert first == second
    assert await host.count("SELECT count(*) FROM attempt") == 1
