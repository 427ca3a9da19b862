"""Finished matches are kept: a player lists own ones and replays them pair by pair, from the events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from libs.pb.sparrow.match.v1 import history_pb2, match_pb2
from libs.pb.sparrow.match.v1 import history_service_pb2 as pb
from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceStub
from libs.rules.solitaire.levels import level_deal
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


async def replay(
    hall: Hall, player: RoundPlayer, name: str, number: int = 0, **page: Any
) -> pb.GetMatchReplayResponse:
    """A page of a match's history, as a player sees it."""
    stub: Any = HistoryServiceStub(hall.edge.channel)
    request = pb.GetMatchReplayRequest(name=name, round_number=number, **page)
    response: pb.GetMatchReplayResponse = await stub.GetMatchReplay(request, metadata=player.metadata)
    return response


async def test_a_quick_match_is_told_to_both_and_only_after_its_end(hall: Hall) -> None:
    """Every pair of both seats, worth what the match said; page by page as in one."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    name = await hall.begin(ana, ben)
    pairs = await hall.solution(name)
    hall.step(seconds=4)
    await ben.take(name, *pairs[0], 0)
    running = await refused(replay(hall, ana, name))
    hall.step(seconds=1)
    await ana.clear_board(name, pairs)
    told = (await replay(hall, ana, name, page_size=500)).replay
    first = await replay(hall, ben, name, page_size=3)
    second = await replay(hall, ben, name, page_size=3, page_token=first.next_page_token)
    stranger = await refused(replay(hall, RoundPlayer(hall.edge), name))
    beyond = await refused(replay(hall, ana, name, 2))

    assert (running.reason, stranger.reason, beyond.reason) == (
        *("MATCH_RUNNING", "NOT_YOURS", "FIELD_INVALID"),
    )
    assert told.mode == match_pb2.MODE_QUICK_MATCH
    assert [step.at_ms for step in told.steps[:2]] == [4_000, 5_000]
    own = [step for step in told.steps if step.player == ana.name]
    assert len(own) == len(pairs)
    assert sum(step.pair.worth for step in own) == own[-1].round_score
    result = (await ana.get(name)).round_result
    assert own[-1].round_score == result.seats[[s.player for s in result.seats].index(ana.name)].round_score
    assert len(told.faces) == len(told.layout.tiles)
    assert all(not seat.unsolvable for seat in told.seats)
    assert [*first.replay.steps, *second.replay.steps] == told.steps[:6]
    assert not second.replay.faces


async def test_each_round_of_an_arena_is_told(hall: Hall) -> None:
    """Three rounds, each on its own deal, each with its own steps."""
    four = [RoundPlayer(hall.edge) for _ in range(4)]
    name = await hall.meet_in_arena(four)
    hall.step(seconds=3)
    for number in (1, 2, 3):
        seen = await four[0].get(name)
        assert seen.round_number == number
        [first, *_] = await hall.solution(name)
        await four[0].take(name, *first, seen.board.board_version)
        hall.step(seconds=25)
        await four[0].get(name)
        if number < 3:
            assert (await refused(replay(hall, four[0], name))).reason == "MATCH_RUNNING"
            hall.step(seconds=10)
    rounds: list[history_pb2.MatchReplay] = [
        (await replay(hall, four[1], name, number)).replay for number in (1, 2, 3)
    ]

    assert [(told.round_number, told.round_count) for told in rounds] == [(1, 3), (2, 3), (3, 3)]
    assert all(told.mode == match_pb2.MODE_ARENA for told in rounds)
    assert [[step.pair.worth for step in told.steps if step.HasField("pair")] for told in rounds] == [
        [step.round_score for step in told.steps if step.HasField("pair")] for told in rounds
    ]
    assert all(sum(step.HasField("pair") for step in told.steps) == 1 for told in rounds)


async def test_an_attempt_is_told_to_its_player(hall: Hall) -> None:
    """Where it left a solvable board, nothing is unsolvable."""
    ana = RoundPlayer(hall.edge)
    game = await ana.start(1)
    running = await refused(replay(hall, ana, game.name))
    first, second = level_deal(1).certificate[0]
    await ana.take(game.name, first, second, 0)
    await ana.leave(game.name)
    told = (await replay(hall, ana, game.name)).replay
    listed = (await ana.matches()).matches

    assert running.reason == "MATCH_RUNNING"
    assert (await refused(replay(hall, RoundPlayer(hall.edge), game.name))).reason == "NOT_YOURS"
    assert [(step.pair.pair.first, step.pair.pair.second) for step in told.steps[:1]] == [(first, second)]
    assert told.steps[1].out == match_pb2.OUT_REASON_LEFT
    assert len(told.faces) < len(told.layout.tiles)
    assert [match.name for match in listed] == [game.name]
