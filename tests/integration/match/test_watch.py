"""Watch streams: a snapshot or what came since, then every update once, in order, and why it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from tests.support.edge import refusal_of, refused
from tests.support.level_player import LevelPlayer, levels_served, read_until_end, solution
from tests.support.waiting import until

PATIENCE_S = 30.0


async def _updates(stream: Any, count: int) -> list[pb.WatchResponse]:
    return [await asyncio.wait_for(stream.read(), PATIENCE_S) for _ in range(count)]


def _versions(messages: Sequence[pb.WatchResponse]) -> list[int]:
    return [message.update.board_version for message in messages]


async def test_a_stream_begins_with_a_snapshot_and_goes_on_with_updates(ana: LevelPlayer) -> None:
    """The snapshot is what GetMatch answers; each update is what the command answered."""
    match = await ana.start(1)
    await ana.touch(match.name, solution(1)[0], 0)
    stream = ana.watch(match.name)
    [snapshot] = await _updates(stream, 1)
    assert snapshot.snapshot == await ana.get(match.name)
    answered = [await ana.touch(match.name, solution(1)[n], n) for n in (1, 2, 3)]
    received = await _updates(stream, 3)
    stream.cancel()

    assert [message.update for message in received] == answered


@pytest.mark.parametrize("ending", ["cleared", "left", "restarted"])
async def test_a_stream_ends_with_the_match(ana: LevelPlayer, ending: str) -> None:
    """The last update says how it ended, the last message that it did."""
    match = await ana.start(1)
    messages: list[pb.WatchResponse] = []
    reading = asyncio.create_task(read_until_end(ana.watch(match.name), messages))
    await until(lambda: len(messages) == 1, PATIENCE_S)
    endings = {
        "cleared": ana.play_out(match.name),
        "left": ana.leave(match.name),
        "restarted": ana.restart(match.name),
    }
    for name, call in endings.items():
        if name == ending:
            await call
        else:
            call.close()
    await asyncio.wait_for(reading, PATIENCE_S)

    assert messages[-1].end.reason == "MATCH_ENDED"
    assert messages[-2].update.state == match_pb2.MatchState.Value(f"MATCH_STATE_{ending.upper()}")


async def test_watching_a_match_that_has_ended_shows_it_and_ends(ana: LevelPlayer) -> None:
    """A snapshot, then the End."""
    match = await ana.start(1)
    await ana.leave(match.name)
    messages: list[pb.WatchResponse] = []
    await asyncio.wait_for(read_until_end(ana.watch(match.name), messages), PATIENCE_S)

    assert messages[0].snapshot.state == match_pb2.MATCH_STATE_LEFT
    assert [m.WhichOneof("payload") for m in messages] == ["snapshot", "end"]


@pytest.mark.parametrize("left_after", [0, 1, 5])
async def test_resuming_misses_nothing_and_repeats_nothing(ana: LevelPlayer, left_after: int) -> None:
    """From any message's token: exactly the updates after it, those made while away included."""
    match = await ana.start(1)
    stream = ana.watch(match.name)
    last = (await _updates(stream, 1))[-1]
    for n in range(left_after):
        await ana.touch(match.name, solution(1)[n], n)
        last = (await _updates(stream, 1))[-1]
    stream.cancel()
    for n in range(left_after, left_after + 4):
        await ana.touch(match.name, solution(1)[n], n)
    resumed = ana.watch(match.name, last.resume_token)
    away = await _updates(resumed, 4)
    await ana.touch(match.name, solution(1)[left_after + 4], left_after + 4)
    live = await _updates(resumed, 1)
    resumed.cancel()

    assert _versions([*away, *live]) == list(range(left_after + 1, left_after + 6))


async def test_resume_tokens_are_bound_to_player_and_match_and_expire(
    ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """Another caller's, another match's, a made-up one: invalid. After 24 hours: expired."""
    match, other, bens = await ana.start(1), await ana.start(1), await ben.start(1)
    stream = ana.watch(match.name)
    token = (await _updates(stream, 1))[0].resume_token
    stream.cancel()
    for player, name, borrowed in (
        (ben, match.name, token), (ben, bens.name, token), (ana, other.name, token), (ana, match.name, "x"),
    ):  # fmt: skip
        refusal = await refused(player.watch(name, borrowed).read())
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "RESUME_TOKEN_INVALID")
    ana.edge.clock.advance(timedelta(hours=24))
    expired = await refused(ana.watch(match.name, token).read())
    assert (expired.code, expired.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "RESUME_EXPIRED")


async def test_another_device_takes_the_seat_over(ana: LevelPlayer) -> None:
    """The old session's stream ends with that reason; a second stream of one session is no other device."""
    match = await ana.start(1)
    phone = LevelPlayer(ana.edge, account_id=ana.account_id)
    first, second = ana.watch(match.name), ana.watch(match.name)
    await _updates(first, 1)
    await _updates(second, 1)
    on_phone = phone.watch(match.name)
    await _updates(on_phone, 1)
    ends = [*(await _updates(first, 1)), *(await _updates(second, 1))]
    await phone.touch(match.name, solution(1)[0], 0)
    assert _versions(await _updates(on_phone, 1)) == [1]
    on_phone.cancel()

    assert [message.end.reason for message in ends] == ["SEAT_TAKEN_OVER"] * 2


async def test_other_processes_are_followed_without_the_bus(database_url: str) -> None:
    """Two servers share only the database: one plays, the other's watcher sees all of it within seconds."""
    async with levels_served(database_url) as one, levels_served(database_url) as two:
        here = LevelPlayer(one)
        there = LevelPlayer(two, account_id=here.account_id, session_id=here.session_id)
        match = await here.start(1)
        stream = there.watch(match.name)
        await _updates(stream, 1)
        for n in range(6):
            player = here if n % 2 else there
            await player.touch(match.name, solution(1)[n], n)
        assert _versions(await _updates(stream, 6)) == [1, 2, 3, 4, 5, 6]
        stream.cancel()


async def test_draining_ends_streams_with_its_reason(ana: LevelPlayer) -> None:
    """The last message says DRAINING; its token resumes elsewhere."""
    match = await ana.start(1)
    messages: list[pb.WatchResponse] = []
    reading = asyncio.create_task(read_until_end(ana.watch(match.name), messages))
    await until(lambda: len(messages) == 1, PATIENCE_S)
    await ana.edge.server.drain()
    await asyncio.wait_for(reading, PATIENCE_S)

    assert messages[-1].end.reason == "DRAINING"
    assert messages[-1].resume_token


async def test_a_thousand_unread_streams_do_not_stop_the_game(database_url: str) -> None:
    """Streams beyond the limit are refused; the game goes on, for the same player and for others."""
    async with levels_served(database_url) as edge:
        ana, ben = LevelPlayer(edge), LevelPlayer(edge)
        match = await ana.start(1)
        streams = [ana.watch(match.name) for _ in range(1_000)]
        await asyncio.sleep(1)
        assert (
            await asyncio.wait_for(ana.play_out(match.name), PATIENCE_S)
        ).state == match_pb2.MATCH_STATE_CLEARED
        assert (await asyncio.wait_for(ben.clear(1), PATIENCE_S)).state == match_pb2.MATCH_STATE_CLEARED
        answers = await asyncio.gather(*(stream.read() for stream in streams), return_exceptions=True)
        refusals = [refusal_of(a) for a in answers if isinstance(a, grpc.aio.AioRpcError)]
        assert {refusal.reason for refusal in refusals} == {"STREAM_LIMIT"}
        assert all(a.HasField("snapshot") for a in answers if isinstance(a, pb.WatchResponse))
        for stream in streams:
            stream.cancel()
