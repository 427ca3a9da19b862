"""A level played over gRPC, from the first face to the points."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.rules.solitaire.levels import level_deal
from tests.support.level_player import LevelPlayer, read_until_end, solution


async def test_a_level_is_played_from_start_to_points(ana: LevelPlayer) -> None:
    """Touching the solution clears the board; the last update brings time, place and points."""
    match = await ana.start(1)
    ana.edge.clock.advance(timedelta(milliseconds=4_321))
    update = await ana.play_out(match.name)

    assert match.state == match_pb2.MATCH_STATE_RUNNING
    assert (match.board.board_version, len(match.board.present)) == (0, len(solution(1)))
    assert (update.state, update.tiles_left) == (match_pb2.MATCH_STATE_CLEARED, 0)
    assert update.result == match_pb2.LevelResult(
        elapsed_ms=4_321, place=1, first_completion_points=10, time_bonus_points=10
    )
    read = await ana.get(match.name)
    assert (read.result, read.elapsed_ms, len(read.board.present)) == (update.result, 4_321, 0)


async def test_a_running_clock_is_read_now(ana: LevelPlayer) -> None:
    """GetMatch carries the elapsed time of a running attempt."""
    match = await ana.start(1)
    ana.edge.clock.advance(timedelta(milliseconds=777))

    assert match.elapsed_ms == 0
    assert (await ana.get(match.name)).elapsed_ms == 777


async def test_no_byte_names_the_face_of_a_covered_tile(ana: LevelPlayer) -> None:
    """Whatever is sent in a whole game, a face is sent only once its tile was uncovered by then."""
    level = 9
    deal = level_deal(level)
    match = await ana.start(level)
    streamed: list[pb.WatchResponse] = []
    watching = asyncio.create_task(read_until_end(ana.watch(match.name), streamed))
    await asyncio.sleep(0.1)
    sent: list[match_pb2.Board | match_pb2.MatchUpdate] = [match.board]
    version, seen = 0, _uncovered_by_scan(deal.layout.tiles, set(match.board.present), None)
    present, lifted = set(match.board.present), None
    assert {face.tile for face in match.board.faces} == seen < present
    for tile in solution(level):
        update = await ana.touch(match.name, tile, version)
        version = update.board_version
        lifted = update.lifted if update.HasField("lifted") else None
        if update.HasField("pair"):
            present -= {update.pair.first, update.pair.second}
        now = _uncovered_by_scan(deal.layout.tiles, present, lifted)
        assert {face.tile for face in update.uncovered} == now - seen
        seen |= now
        read = (await ana.get(match.name)).board
        assert {face.tile for face in read.faces} == seen & present
        sent += [update, read]
    await asyncio.wait_for(watching, 30)
    for face in [f for message in sent for f in getattr(message, "faces", getattr(message, "uncovered", []))]:
        assert face.face == deal.faces[face.tile]
    replies = [r.SerializeToString() for r in (m.update for m in streamed if m.HasField("update"))]
    assert replies == [m.update.SerializeToString() for m in ana.received if isinstance(m, pb.TouchResponse)]


def _uncovered_by_scan(
    tiles: tuple[tuple[int, int, int], ...], present: set[int], lifted: int | None
) -> set[int]:
    there = [tiles[tile] for tile in present if tile != lifted]
    return {
        tile
        for tile in present
        if not any(
            z > tiles[tile][2] and abs(x - tiles[tile][0]) < 2 and abs(y - tiles[tile][1]) < 2
            for x, y, z in there
        )
    }


async def test_a_lift_survives(ana: LevelPlayer) -> None:
    """Reading the match again shows the lifted tile; putting it back leaves its discoveries known."""
    match = await ana.start(1)
    tile = solution(1)[0]
    lifted = await ana.touch(match.name, tile, 0)
    read = await ana.get(match.name)
    back = await ana.put_back(match.name, 1)

    assert (lifted.outcome, read.board.lifted) == (match_pb2.TOUCH_OUTCOME_LIFTED, tile)
    assert back.outcome == match_pb2.TOUCH_OUTCOME_PUT_BACK
    assert not back.HasField("lifted")
    assert (await ana.get(match.name)).board.faces == read.board.faces


async def test_a_blocked_touch_tells_why(ana: LevelPlayer) -> None:
    """The answer names the tiles that are to blame."""
    match = await ana.start(1)
    blocked = next(t for t in match.board.present if t not in match.board.free_tiles)
    update = await ana.touch(match.name, blocked, 0)

    assert update.outcome == match_pb2.TOUCH_OUTCOME_BLOCKED
    blockers = update.blockers
    assert blockers.covered_by or (blockers.left and blockers.right)
    assert update.board_version == 1


async def test_a_restart_is_a_new_attempt_on_the_same_deal(ana: LevelPlayer) -> None:
    """The old attempt names the new one, which has the same board and a clock of its own."""
    match = await ana.start(1)
    await ana.touch(match.name, solution(1)[0], 0)
    ana.edge.clock.advance(timedelta(seconds=3))
    again = await ana.restart(match.name)
    old = await ana.get(match.name)

    assert (old.state, old.next_match) == (match_pb2.MATCH_STATE_RESTARTED, again.name)
    assert again.board == match.board
    assert again.start_time.ToMilliseconds() - match.start_time.ToMilliseconds() == 3_000
    assert (await ana.play_out(again.name)).state == match_pb2.MATCH_STATE_CLEARED


async def test_matches_are_listed_newest_first_page_by_page(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """Own matches only, each with how it ended, without boards."""
    names = []
    for _ in range(5):
        names.append((await ana.start(1)).name)
        ana.edge.clock.advance(timedelta(milliseconds=1))
    await ben.start(1)
    await ana.leave(names[0])
    await ana.play_out(names[1])
    again = await ana.restart(names[2])
    request = pb.ListMatchesRequest(page_size=4)
    first = await ana.stub.ListMatches(request, metadata=ana.metadata)
    request.page_token = first.next_page_token
    second = await ana.stub.ListMatches(request, metadata=ana.metadata)
    listed = [*first.matches, *second.matches]

    assert [m.name for m in listed] == [again.name, *reversed(names)]
    assert len(first.matches) == 4
    assert not second.next_page_token
    for match in listed:
        read = await ana.get(match.name)
        read.ClearField("board")
        assert match == read


async def test_a_level_tells_what_the_caller_has_done_on_it(ana: LevelPlayer) -> None:
    """Completed and best time are the caller's own; HARD levels say so."""
    request = pb.GetLevelRequest(level=10)
    before = (await ana.stub.GetLevel(request, metadata=ana.metadata)).level
    await ana.clear(10, took_ms=900)
    await ana.clear(10, took_ms=1_900)
    after = (await ana.stub.GetLevel(request, metadata=ana.metadata)).level

    assert (before.hard, before.completed, before.best_ms) == (True, False, 0)
    assert (after.completed, after.best_ms) == (True, 900)
    assert before.tile_count == len(solution(10))
    assert before.layout.startswith("layouts/")


async def test_a_repeat_gets_the_first_answer_byte_by_byte(ana: LevelPlayer) -> None:
    """Every write answers the same whatever happened since, and happens once."""
    key = [str(uuid4()) for _ in range(6)]
    stub, metadata = ana.stub, ana.metadata
    start = pb.StartLevelRequest(level=1, request_id=key[0])
    first = await stub.StartLevel(start, metadata=metadata)
    name = first.match.name
    touch = pb.TouchRequest(name=name, tile=solution(1)[0], expected_board_version=0, request_id=key[1])
    back = pb.PutBackRequest(name=name, expected_board_version=1, request_id=key[2])
    restart = pb.RestartLevelRequest(name=name, request_id=key[3])
    calls = [(stub.StartLevel, start), (stub.Touch, touch), (stub.PutBack, back)]
    calls.append((stub.RestartLevel, restart))
    answers = [first]
    for call, request in calls[1:]:
        ana.edge.clock.advance(timedelta(milliseconds=10))
        answers.append(await call(request, metadata=metadata))
    again = answers[3].match.name
    leave = pb.LeaveMatchRequest(name=again, request_id=key[4])
    calls.append((stub.LeaveMatch, leave))
    answers.append(await stub.LeaveMatch(leave, metadata=metadata))
    ana.edge.clock.advance(timedelta(minutes=5))
    repeats = [await call(request, metadata=ana.metadata) for call, request in calls]

    assert [r.SerializeToString() for r in repeats] == [a.SerializeToString() for a in answers]
    matches = (await stub.ListMatches(pb.ListMatchesRequest(), metadata=ana.metadata)).matches
    assert len(matches) == 2


async def test_the_finishing_touch_is_repeat_safe(ana: LevelPlayer) -> None:
    """The same last touch again brings the same result and no second points."""
    match = await ana.start(1)
    *moves, last = solution(1)
    version = 0
    for tile in moves:
        version = (await ana.touch(match.name, tile, version)).board_version
    request_id = str(uuid4())
    first = await ana.touch(match.name, last, version, request_id)
    repeat = await ana.touch(match.name, last, version, request_id)

    assert first == repeat
    assert first.result.first_completion_points == 10
    assert (await ana.clear(1)).result.first_completion_points == 0
