"""A serving process that is killed while somebody watches: the token goes on at the next one."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from libs.pb.sparrow.match.v1 import match_service_pb2 as match_pb
from libs.pb.sparrow.match.v1 import spectate_pb2 as told
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as pb
from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import SpectateServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from tests.fault.match.test_killed_in_a_round import Hall, _seated, _started

pytestmark = pytest.mark.timeout(200)
DELAY_S = 2
WATCHER = 2
MOVES = (
    "SELECT count(*) FROM event WHERE type IN"
    " ('sparrow.match.seat_lifted_tile.v1', 'sparrow.match.seat_put_tile_back.v1')"
)


@pytest.fixture
def hall(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    """A hall for two and a spectator, without a process yet."""
    monkeypatch.setenv("SPARROW_SPECTATE_DELAY_S", str(DELAY_S))
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        port = free_port(secrets.token_hex(4))
        yield Hall(database_url, Path(folder), port, accounts=(uuid4(), uuid4(), uuid4()))


def _watch(hall: Hall, name: str, token: str = "") -> Any:
    stub: Any = SpectateServiceStub(hall.channel)
    request = pb.SpectateRequest(name=name, resume_token=token)
    return stub.Spectate(request, metadata=hall.player(WATCHER))


async def _touch(hall: Hall, stub: Any, name: str, tile: int, times: int, version: int) -> None:
    """Lift the tile and put it back, so many touches."""
    for number in range(version, version + times):
        request = match_pb.TouchRequest(
            name=name, tile=tile, expected_board_version=number, request_id=str(uuid4())
        )
        await stub.Touch(request, metadata=hall.player(0))


async def _hear(stream: Any, heard: list[pb.SpectateResponse], updates: int) -> None:
    """Read until so many updates more, or the end."""
    async with asyncio.timeout(60):
        while updates:
            message = await stream.read()
            assert isinstance(message, pb.SpectateResponse)
            if message.WhichOneof("payload") != "heartbeat":
                heard.append(message)
            if message.HasField("end"):
                return
            updates -= message.HasField("update")


async def test_a_spectator_goes_on_at_the_next_process_and_misses_nothing(hall: Hall) -> None:
    """Killed with facts that were not shown yet: each is shown once, in order, with the result at the end."""
    heard: list[pb.SpectateResponse] = []
    async with hall.process() as stub:
        name = await _seated(hall, stub)
        match = await _started(hall, stub, name)
        tile = match.board.free_tiles[0]
        stream = _watch(hall, name)
        await _touch(hall, stub, name, tile, 4, 0)
        await _hear(stream, heard, 2)
        await _touch(hall, stub, name, tile, 4, 4)
    async with hall.process() as stub:
        stream = _watch(hall, name, heard[-1].resume_token)
        await _touch(hall, stub, name, tile, 2, 8)
        for seat in (0, 1):
            leave = match_pb.LeaveMatchRequest(name=name, request_id=str(uuid4()))
            await stub.LeaveMatch(leave, metadata=hall.player(seat))
        await _hear(stream, heard, 1_000)
        moves = await hall.count(MOVES)
    acts = [move.act for message in heard for move in message.update.moves]
    touches = [act for act in acts if act != told.SPECTATE_ACT_OUT]

    assert moves == 10
    assert touches == [told.SPECTATE_ACT_LIFTED, told.SPECTATE_ACT_PUT_BACK] * 5
    assert acts.count(told.SPECTATE_ACT_OUT) == 2
    assert sum(message.HasField("snapshot") for message in heard) == 1
    assert len(heard[-2].update.match.round_result.seats) == 2
    assert heard[-1].end.reason == "MATCH_ENDED"
