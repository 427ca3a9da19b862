"""What a client may get wrong: each has one precise answer, and changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from tests.support.edge import refusal_of, refused
from tests.support.level_player import LevelPlayer, solution

NOWHERE = f"matches/{uuid4()}"
Write = Callable[[LevelPlayer, str], Awaitable[Any]]
WRITES: dict[str, Write] = {
    "touch": lambda player, name: player.touch(name, 0, 0),
    "put_back": lambda player, name: player.put_back(name, 0),
    "restart": lambda player, name: player.restart(name),
    "leave": lambda player, name: player.leave(name),
}


@pytest.mark.parametrize("write", WRITES)
async def test_another_players_match_is_out_of_reach(ana: LevelPlayer, ben: LevelPlayer, write: str) -> None:
    """Moves on another's board: PERMISSION_DENIED, and the board stays as it was."""
    match = await ana.start(1)
    refusal = await refused(WRITES[write](ben, match.name))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS")
    assert (await ana.get(match.name)).board == match.board


async def test_reading_anothers_match_is_refused(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """Neither GetMatch nor Watch shows another's board."""
    match = await ana.start(1)

    assert (await refused(ben.get(match.name))).reason == "NOT_YOURS"
    assert (await refused(ben.watch(match.name).read())).reason == "NOT_YOURS"


@pytest.mark.parametrize("write", WRITES)
async def test_a_match_that_does_not_exist_is_not_found(ana: LevelPlayer, write: str) -> None:
    """Commands before the start: there is no such match."""
    refusal = await refused(WRITES[write](ana, NOWHERE))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")


@pytest.mark.parametrize("write", WRITES)
async def test_a_match_that_has_ended_takes_no_commands(ana: LevelPlayer, write: str) -> None:
    """Commands after the end: FAILED_PRECONDITION MATCH_ENDED."""
    match = await ana.start(1)
    await ana.leave(match.name)
    refusal = await refused(WRITES[write](ana, match.name))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_ENDED")


@pytest.mark.parametrize(
    "name", ["", "matches/", "matches/1", "players/x", "matches/" + "F" * 36, "x" * 5_000]
)
async def test_a_name_that_is_none_is_malformed(ana: LevelPlayer, name: str) -> None:
    """INVALID_ARGUMENT with the field, for writes and reads."""
    for call in (ana.touch(name, 0, 0), ana.get(name), ana.watch(name).read()):
        refusal = await refused(call)
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "name")


@pytest.mark.parametrize("tile", [-1, 288, 2**31 - 1, -(2**31)])
async def test_a_tile_index_out_of_range_is_malformed(ana: LevelPlayer, tile: int) -> None:
    """INVALID_ARGUMENT with the field `tile`."""
    match = await ana.start(1)
    for out_of_range in (tile, len(match.board.present)):
        refusal = await refused(ana.touch(match.name, out_of_range, 0))
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "tile")


@pytest.mark.parametrize("level", [0, -1, 11_001, 2**31 - 1])
async def test_a_number_that_is_no_level_is_malformed(ana: LevelPlayer, level: int) -> None:
    """INVALID_ARGUMENT with the field `level`, for every call that names one."""
    request = pb.GetLevelRequest(level=level)
    calls = (ana.start(level), ana.bests(level), ana.stub.GetLevel(request, metadata=ana.metadata))
    for call in calls:
        refusal = await refused(call)
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "level")


async def test_a_pair_of_one_tile_with_itself_is_put_back(ana: LevelPlayer) -> None:
    """The same tile twice makes no pair."""
    match = await ana.start(1)
    tile = solution(1)[0]
    await ana.touch(match.name, tile, 0)
    update = await ana.touch(match.name, tile, 1)

    assert update.outcome == match_pb2.TOUCH_OUTCOME_PUT_BACK
    assert update.tiles_left == len(match.board.present)


async def test_a_removed_tile_is_gone_and_nothing_lifted_is_named(ana: LevelPlayer) -> None:
    """TILE_GONE and NOTHING_LIFTED are FAILED_PRECONDITION."""
    match = await ana.start(1)
    first, second = solution(1)[:2]
    await ana.touch(match.name, first, 0)
    await ana.touch(match.name, second, 1)
    gone, nothing = await refused(ana.touch(match.name, first, 2)), await refused(ana.put_back(match.name, 2))

    assert (gone.code, gone.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TILE_GONE")
    assert (nothing.code, nothing.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NOTHING_LIFTED")


async def test_the_same_request_twice_at_once_happens_once(ana: LevelPlayer) -> None:
    """Ten equal touches at once: one event, ten equal answers."""
    match = await ana.start(1)
    request_id = str(uuid4())
    touches = (ana.touch(match.name, solution(1)[0], 0, request_id) for _ in range(10))
    updates = await asyncio.gather(*touches)

    assert len({update.SerializeToString() for update in updates}) == 1
    assert (await ana.get(match.name)).board.board_version == 1


async def test_the_same_start_twice_at_once_starts_one_attempt(ana: LevelPlayer) -> None:
    """Ten equal starts at once: one attempt."""
    request_id = str(uuid4())
    matches = await asyncio.gather(*(ana.start(1, request_id) for _ in range(10)))
    listed = await ana.stub.ListMatches(pb.ListMatchesRequest(), metadata=ana.metadata)

    assert {match.name for match in matches} == {match.name for match in listed.matches}
    assert len(listed.matches) == 1


async def test_the_same_restart_twice_at_once_starts_one_attempt(ana: LevelPlayer) -> None:
    """Five equal restarts at once: one attempt follows."""
    match = await ana.start(1)
    request_id = str(uuid4())
    following = await asyncio.gather(*(ana.restart(match.name, request_id) for _ in range(5)))

    assert len({each.SerializeToString() for each in following}) == 1


async def test_a_request_id_with_another_body_is_refused(ana: LevelPlayer) -> None:
    """FAILED_PRECONDITION REQUEST_ID_REUSED, whatever the other call is."""
    match = await ana.start(1, "mine")
    await ana.touch(match.name, solution(1)[0], 0, "touched")
    calls = (
        ana.start(2, "mine"),
        ana.touch(match.name, solution(1)[1], 1, "touched"),
        ana.touch(match.name, solution(1)[1], 1, "mine"),
        ana.restart(match.name, "mine"),
        ana.leave(match.name, "touched"),
        ana.start(1, "touched"),
    )
    for call in calls:
        refusal = await refused(call)
        assert refusal.reason == "REQUEST_ID_REUSED"
        assert refusal.code == grpc.StatusCode.FAILED_PRECONDITION


async def test_request_ids_of_different_players_do_not_meet(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """The key of a command is the account and the id."""
    assert (await ana.start(1, "one")).name != (await ben.start(1, "one")).name


async def test_of_two_touches_on_one_board_version_one_is_aborted(ana: LevelPlayer) -> None:
    """Both decided on the same board: one wins, the other is told that the board has changed."""
    match = await ana.start(1)
    tiles = match.board.free_tiles[:2]
    calls = (ana.touch(match.name, tile, 0) for tile in tiles)
    answers = await asyncio.gather(*calls, return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]

    assert len(errors) == 1
    assert errors[0].code() == grpc.StatusCode.ABORTED
    assert (await ana.get(match.name)).board.board_version == 1


async def test_of_rival_endings_one_wins(ana: LevelPlayer) -> None:
    """Two restarts and two leaves at once: one ends the attempt, the others are told that it has ended."""
    match = await ana.start(1)
    calls = (*(ana.restart(match.name) for _ in range(2)), *(ana.leave(match.name) for _ in range(2)))
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refusals = [refusal_of(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]

    assert [refusal.reason for refusal in refusals] == ["MATCH_ENDED"] * 3
    listed = await ana.stub.ListMatches(pb.ListMatchesRequest(), metadata=ana.metadata)
    was_restarted = (await ana.get(match.name)).state == match_pb2.MATCH_STATE_RESTARTED
    assert len(listed.matches) == (2 if was_restarted else 1)


async def test_of_two_last_touches_at_once_one_clears_the_level(ana: LevelPlayer) -> None:
    """Two devices make the last pair together: one result, one set of points."""
    *moves, last = solution(1)
    match, version = await ana.start(1), 0
    for tile in moves:
        version = (await ana.touch(match.name, tile, version)).board_version
    calls = (ana.touch(match.name, last, version) for _ in range(3))
    answers = await asyncio.gather(*calls, return_exceptions=True)
    refusals = [refusal_of(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    [cleared] = [answer for answer in answers if isinstance(answer, match_pb2.MatchUpdate)]

    assert [refusal.reason for refusal in refusals] == ["MATCH_ENDED"] * 2
    assert cleared.result.first_completion_points == 10


@pytest.mark.parametrize("version", [1, 7, 2**31 - 1])
async def test_a_stale_board_version_is_aborted(ana: LevelPlayer, version: int) -> None:
    """ABORTED STALE_BOARD_VERSION."""
    match = await ana.start(1)
    refusal = await refused(ana.touch(match.name, 0, version))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "STALE_BOARD_VERSION")


async def test_a_negative_board_version_is_malformed(ana: LevelPlayer) -> None:
    """INVALID_ARGUMENT with the field."""
    match = await ana.start(1)

    assert (await refused(ana.touch(match.name, 0, -1))).field == "expected_board_version"


@pytest.mark.parametrize("request_id", ["x" * 37, "ä", "a b", "\n"])
async def test_a_bad_request_id_is_malformed(ana: LevelPlayer, request_id: str) -> None:
    """1 to 36 visible ASCII characters."""
    match = await ana.start(1)

    assert (await refused(ana.touch(match.name, 0, 0, request_id))).field == "request_id"


async def test_page_tokens_are_bound_to_the_list_and_the_player(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """A borrowed or made-up token is refused, and so is a negative page size."""
    for _ in range(2):
        await ana.start(1)
    page = await ana.stub.ListMatches(pb.ListMatchesRequest(page_size=1), metadata=ana.metadata)
    for player, token in ((ben, page.next_page_token), (ana, "made-up"), (ana, page.next_page_token[:-2])):
        request = pb.ListMatchesRequest(page_size=1, page_token=token)
        refusal = await refused(player.stub.ListMatches(request, metadata=player.metadata))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID")
    request = pb.ListMatchesRequest(page_size=-1)
    negative = await refused(ana.stub.ListMatches(request, metadata=ana.metadata))
    assert negative.field == "page_size"
