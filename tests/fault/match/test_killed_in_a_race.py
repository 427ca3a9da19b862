"""A serving process that is killed in a race: commands happen once, it ends once, nobody stays seated."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import race_pb2 as race
from libs.pb.sparrow.match.v1 import race_service_pb2 as pb
from libs.pb.sparrow.match.v1.race_service_pb2_grpc import RaceServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from tests.fault.match.test_killed_in_a_round import Hall

pytestmark = pytest.mark.timeout(200)
RUNNING = race.RACE_STATE_RUNNING


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    """A hall without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        yield Hall(database_url, Path(folder), free_port(secrets.token_hex(4)))


async def _begun(hall: Hall) -> race.Race:
    """A race of two on a small board; the signal was given."""
    stub: Any = RaceServiceStub(hall.channel)
    settings = race.RaceSettings(difficulty=race.RACE_DIFFICULTY_START)
    create = pb.CreateRaceGroupRequest(settings=settings, request_id=str(uuid4()))
    group = (await stub.CreateRaceGroup(create, metadata=hall.player(0))).group
    join = pb.JoinRaceGroupRequest(code=group.code, request_id=str(uuid4()))
    await stub.JoinRaceGroup(join, metadata=hall.player(1))
    start = pb.StartRaceRequest(name=group.name, request_id=str(uuid4()))
    name = (await stub.StartRace(start, metadata=hall.player(0))).group.race
    for _ in range(100):
        found = await _get(hall, name)
        if found.state == RUNNING:
            return found
        await asyncio.sleep(0.2)
    raise AssertionError("no signal came")


async def _get(hall: Hall, name: str) -> race.Race:
    stub: Any = RaceServiceStub(hall.channel)
    return (await stub.GetRace(pb.GetRaceRequest(name=name), metadata=hall.player(0))).race  # type: ignore[no-any-return]


def _pair(found: race.Race) -> pb.RemovePairRequest:
    """An order for a pair that can be seen."""
    free = set(found.board.free_tiles)
    faces = [(shown.face, shown.tile) for shown in found.board.faces if shown.tile in free]
    first, second = next(
        (one, other) for face, one in faces for same, other in faces if same == face and one < other
    )
    return pb.RemovePairRequest(
        name=found.name,
        first=first,
        second=second,
        expected_board_version=found.board.board_version,
        request_id=str(uuid4()),
    )


@pytest.mark.parametrize("point", ["match.received", "match.committed"])
async def test_a_pair_goes_once_whenever_the_process_dies(hall: Hall, point: str) -> None:
    """The repeat has the outcome of the first; the board stands as it was left."""
    async with hall.process() as _stub:
        found = await _begun(hall)
    async with hall.process(f"{point}:kill") as _stub:
        order = _pair(found)
        stub: Any = RaceServiceStub(hall.channel)
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.RemovePair(order, metadata=hall.player(0))
    async with hall.process() as _stub:
        stub = RaceServiceStub(hall.channel)
        replies = [await stub.RemovePair(order, metadata=hall.player(0)) for _ in range(2)]
        after = await _get(hall, found.name)

    assert replies[0] == replies[1]
    assert replies[0].update.move == race.RACE_MOVE_PAIR
    assert len(after.board.present) == 32
    assert (
        await hall.count("SELECT count(*) FROM event WHERE type = 'sparrow.match.race_pair_removed.v1'") == 1
    )


@pytest.mark.parametrize("point", ["match.append_sent", "match.committed"])
async def test_a_race_whose_end_is_interrupted_ends_once_with_all_that_belongs_to_it(
    hall: Hall, point: str
) -> None:
    """Seats are free, the group may start again, and no timer is left."""
    async with hall.process() as _stub:
        found = await _begun(hall)
        stub: Any = RaceServiceStub(hall.channel)
        first = pb.GiveUpRaceRequest(name=found.name, request_id=str(uuid4()))
        await stub.GiveUpRace(first, metadata=hall.player(0))
    last = pb.GiveUpRaceRequest(name=found.name, request_id=str(uuid4()))
    async with hall.process(f"{point}:kill") as _stub:
        stub = RaceServiceStub(hall.channel)
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.GiveUpRace(last, metadata=hall.player(1))
    async with hall.process() as _stub:
        stub = RaceServiceStub(hall.channel)
        await stub.GiveUpRace(last, metadata=hall.player(1))
        over = await _get(hall, found.name)

    assert over.state == race.RACE_STATE_OVER
    assert await hall.count("SELECT count(*) FROM event WHERE type = 'sparrow.match.race_ended.v1'") == 1
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0
    assert await hall.count("SELECT count(*) FROM race_group WHERE playing") == 0
