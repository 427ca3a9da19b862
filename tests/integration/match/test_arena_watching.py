"""Following an arena over all its rounds: nothing missed, nothing twice, no face too early."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from tests.support.arena_hall import begin_arena, idle_round
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


@pytest.fixture
def four(hall: Hall) -> list[RoundPlayer]:
    """Four players."""
    return [RoundPlayer(hall.edge) for _ in range(4)]


async def test_a_watcher_misses_nothing_over_all_rounds_and_sees_nothing_twice(
    hall: Hall, four: list[RoundPlayer]
) -> None:
    """One stream: a snapshot for each round, its updates, and one end; by the timers alone."""
    ana, ben, *_ = four
    name = await begin_arena(hall, four)
    listening = ana.listen(name)
    await until(lambda: bool(ana.heard))
    for number in (1, 2, 3):
        version = (await ben.get(name)).board.board_version
        await ben.take(name, *(await hall.solution(name))[0], version)
        hall.step(seconds=21)
        if number < 3:
            await until(lambda number=number: _snapshots(ana)[-1] == number + 1)  # type: ignore[misc]
            hall.step(seconds=10)
            await until(lambda: ana.heard[-1].update.state == match_pb2.MATCH_STATE_RUNNING)
    await asyncio.wait_for(listening, 20)
    results = [update.round_result for update in ana.updates() if update.HasField("round_result")]

    assert _snapshots(ana) == [1, 2, 3]
    assert [len(result.reveal.seed) for result in results] == [32] * 3
    assert ana.heard[-1].end.reason == "MATCH_ENDED"
    assert sum(message.HasField("end") for message in ana.heard) == 1
    scores = [
        seat.round_score for update in ana.updates() for seat in update.opponents if seat.player == ben.name
    ]
    assert sum(score > 0 for score in scores) >= 3


def _snapshots(player: RoundPlayer) -> list[int]:
    return [message.snapshot.round_number for message in player.heard if message.HasField("snapshot")]


async def test_a_reader_resumes_in_the_round_it_left(hall: Hall, four: list[RoundPlayer]) -> None:
    """What it missed of that round comes first, then the rounds after it: from any token."""
    ana, ben, *_ = four
    name = await begin_arena(hall, four)
    listening = ana.listen(name)
    await until(lambda: bool(ana.heard))
    listening.cancel()
    token = ana.heard[-1].resume_token
    ana.heard.clear()
    taken = await ben.take(name, *(await hall.solution(name))[0], 0)
    await idle_round(hall, four, name)
    hall.step(seconds=10)
    await idle_round(hall, four, name)
    again = ana.listen(name, token)
    await until(lambda: _snapshots(ana) == [2, 3])
    again.cancel()
    first, *_rest = ana.heard

    scores = [seat.round_score for seat in first.update.opponents if seat.player == ben.name]
    assert scores == [taken.own_round.round_score]
    assert [m.snapshot.state for m in ana.heard if m.HasField("snapshot")] == [
        match_pb2.MATCH_STATE_BREAK,
        match_pb2.MATCH_STATE_BREAK,
    ]
    end_of_first = [m.update.round_result for m in ana.heard if m.update.HasField("round_result")]
    assert len(end_of_first) == 1

    ana.heard.clear()
    later = ana.listen(name, token)
    await until(lambda: _snapshots(ana) == [2, 3])
    last_token = ana.heard[-1].resume_token
    later.cancel()
    ana.heard.clear()
    hall.step(seconds=10)
    await ana.get(name)
    last = ana.listen(name, last_token)
    await until(lambda: bool(ana.heard))
    last.cancel()
    assert ana.heard[0].update.state == match_pb2.MATCH_STATE_RUNNING


async def test_another_device_takes_the_seat_over_in_whatever_round(
    hall: Hall, four: list[RoundPlayer]
) -> None:
    """The old stream ends with that reason; the new one is the only one that goes on."""
    ana = four[0]
    name = await begin_arena(hall, four)
    old = ana.listen(name)
    await until(lambda: bool(ana.heard))
    await idle_round(hall, four, name)
    await until(lambda: _snapshots(ana) == [1, 2])
    phone = replace(ana, session_id=uuid4(), heard=[], received=[])
    new = phone.listen(name)
    await asyncio.wait_for(old, 10)
    hall.step(seconds=10)
    await until(lambda: phone.heard[-1].update.state == match_pb2.MATCH_STATE_RUNNING)
    new.cancel()

    assert ana.heard[-1].end.reason == "SEAT_TAKEN_OVER"
    assert _snapshots(phone) == [2]


async def test_no_face_of_a_round_leaves_before_its_signal(hall: Hall, four: list[RoundPlayer]) -> None:
    """Nor any of a tile that is still covered: every byte sent to a player is looked through."""
    name = await begin_arena(hall, four)
    listening = four[0].listen(name)
    await until(lambda: bool(four[0].heard))
    await four[0].get(name)
    await idle_round(hall, four, name)
    await until(lambda: _snapshots(four[0]) == [1, 2])
    await four[0].leave(name)
    hall.step(seconds=9, milliseconds=900)
    await four[0].get(name)
    listening.cancel()
    seen_in_break = [
        message.snapshot.board.faces
        for message in four[0].heard
        if message.snapshot.state == match_pb2.MATCH_STATE_BREAK
    ]
    deal = await hall.deal(name)
    sent = b"".join(message.SerializeToString() for message in four[0].received)

    assert all(not faces for faces in seen_in_break)
    for secret in (deal.seed, deal.nonce):
        assert secret not in sent
