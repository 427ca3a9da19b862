"""Figures and flags of what was really played: who sees them, and what they leave alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from libs.eventstore.port import Fenced
from libs.pb.sparrow.match.v1 import fair_play_pb2
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as pb
from libs.rules.solitaire.levels import level_deal
from services.match.fairplay.store import DAYS_KEPT
from tests.support.edge import Edge, refused
from tests.support.fair_play import (
    count,
    fair_play,
    flags,
    match_database,
    play_level,
    projector,
    statistics,
)
from tests.support.level_player import LevelPlayer

pytestmark = pytest.mark.timeout(120)
PAIRS = len(level_deal(1).certificate)
ENOUGH = -(-100 // PAIRS)
"""So many clears of level 1 are 100 pairs."""


async def test_play_at_a_pace_of_no_person_is_flagged_and_human_play_is_not(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """40 ms a touch against 700; the flag tells its figures, and a fast game more renews it."""
    for _ in range(ENOUGH):
        await play_level(ana, 1, think_ms=40)
        await play_level(ben, 1, think_ms=700)
    await count(edge)
    (flag,) = await flags(edge)
    edge.clock.advance(timedelta(hours=1))
    await play_level(ana, 1, think_ms=40)
    await count(edge)
    (renewed,) = await flags(edge)

    assert (flag.player, flag.mode, flag.rule) == (
        ana.name,
        fair_play_pb2.PLAY_MODE_LEVEL,
        fair_play_pb2.PLAY_RULE_PACE,
    )
    assert flag.hits == flag.trials == ENOUGH * PAIRS
    assert renewed.trials == (ENOUGH + 1) * PAIRS
    assert renewed.first_time == flag.first_time
    assert renewed.last_time.ToDatetime() > flag.last_time.ToDatetime()
    assert await flags(edge, ben.name) == []
    assert len(await flags(edge, ana.name)) == 1


async def test_the_figures_of_a_player_are_told_by_mode(edge: Edge, ana: LevelPlayer) -> None:
    """Games, pairs, touches, blocked ones, and every bin of the pace; nothing of what was not played."""
    await play_level(ana, 1, think_ms=300)
    await count(edge)
    (told,) = await statistics(edge, ana.name)

    assert (told.mode, told.hard) == (fair_play_pb2.PLAY_MODE_LEVEL, False)
    assert (told.games, told.pairs, told.touches, told.blocked_touches) == (1, PAIRS, 2 * PAIRS, 0)
    assert (told.crucial_found, told.crucial_missed_max) == (0, 0)
    assert {each.under_ms: each.pairs for each in told.pace if each.pairs} == {700: PAIRS}
    assert [each.under_ms for each in told.pace] == [
        100, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 0,
    ]  # fmt: skip


async def test_only_the_days_that_were_asked_for_count(edge: Edge, ana: LevelPlayer) -> None:
    """Today is one of them; days are UTC."""
    await play_level(ana, 1, think_ms=300)
    edge.clock.advance(timedelta(days=2))
    await play_level(ana, 1, think_ms=300)
    await count(edge)

    assert [(await statistics(edge, ana.name, days))[0].games for days in (1, 2, 3, 0)] == [1, 1, 2, 2]


async def test_play_outside_the_window_is_not_judged(edge: Edge, ana: LevelPlayer) -> None:
    """Half of the pairs that a flag takes a month ago, and half today."""
    for _ in range(ENOUGH // 2 + 1):
        await play_level(ana, 1, think_ms=40)
    edge.clock.advance(timedelta(days=28))
    for _ in range(ENOUGH // 2 + 1):
        await play_level(ana, 1, think_ms=40)
    await count(edge)

    assert await flags(edge) == []


async def test_what_is_kept_of_a_player_is_bounded(edge: Edge, ana: LevelPlayer) -> None:
    """A row a day and mode, and none of days long ago."""
    await play_level(ana, 1, think_ms=300)
    await play_level(ana, 1, think_ms=300)
    edge.clock.advance(timedelta(days=DAYS_KEPT))
    await play_level(ana, 1, think_ms=300)
    await count(edge)
    days = await match_database(edge).pool.fetch("SELECT day, games FROM fair_play_day")

    assert [(row["day"], row["games"]) for row in days] == [(edge.clock.now().date(), 1)]


async def test_a_game_is_counted_once_whoever_counts(edge: Edge, ana: LevelPlayer) -> None:
    """A holder that was overtaken writes nothing; the next one goes on where the rows are."""
    await play_level(ana, 1, think_ms=300)
    first = projector(edge)
    done = await first.claim(1)
    await count(edge, epoch=2)
    await play_level(ana, 1, think_ms=300)
    await count(edge, epoch=2)
    with pytest.raises(Fenced):
        await first.step(1, done)
    await count(edge, epoch=3)

    assert [each.games for each in await statistics(edge, ana.name)] == [2]


async def test_an_attempt_that_was_left_counts_too(edge: Edge, ana: LevelPlayer) -> None:
    """Whoever plays on and on without finishing is seen."""
    match = await ana.start(1)
    (first, second), *_ = level_deal(1).certificate
    lifted = await ana.touch(match.name, first, 0)
    await ana.touch(match.name, second, lifted.board_version)
    await ana.leave(match.name)
    await count(edge)
    (told,) = await statistics(edge, ana.name)

    assert (told.games, told.pairs) == (1, 1)


async def test_a_flag_changes_no_result_by_itself(edge: Edge, ana: LevelPlayer) -> None:
    """No fact is added, and the flagged player's next level is paid as any other's."""
    for _ in range(ENOUGH):
        await play_level(ana, 1, think_ms=40)
    pool = match_database(edge).pool
    events = await pool.fetchval("SELECT count(*) FROM event")
    bests = await ana.bests(1)
    await count(edge)
    assert len(await flags(edge)) == 1

    assert await pool.fetchval("SELECT count(*) FROM event") == events
    assert await ana.bests(1) == bests
    update = await ana.clear(2)
    assert (update.result.first_completion_points, update.result.time_bonus_points) == (10, 10)


async def test_players_never_see_figures_flags_or_reports(edge: Edge, ana: LevelPlayer) -> None:
    """Not even their own."""
    calls = [
        ("GetPlayStatistics", pb.GetPlayStatisticsRequest(player=ana.name)),
        ("ListPlayFlags", pb.ListPlayFlagsRequest(player=ana.name)),
        ("ListPlayerReports", pb.ListPlayerReportsRequest(player=ana.name)),
        ("ClosePlayerReport", pb.ClosePlayerReportRequest(name="reports/x", request_id="1")),
    ]
    for name, request in calls:
        answer = await refused(getattr(fair_play(edge), name)(request, metadata=ana.metadata))
        assert answer.reason == "AUDIENCE", name


async def test_flags_come_in_pages(edge: Edge) -> None:
    """The newest first, each once."""
    players = [LevelPlayer(edge) for _ in range(3)]
    for player in players:
        for _ in range(ENOUGH):
            await play_level(player, 1, think_ms=40)
        edge.clock.advance(timedelta(minutes=1))
        await count(edge)
    seen, token = [], ""
    while True:
        request = pb.ListPlayFlagsRequest(page_size=1, page_token=token)
        page = await fair_play(edge).ListPlayFlags(request, metadata=edge.as_operator())
        seen += [flag.player for flag in page.flags]
        token = page.next_page_token
        if not token:
            break

    assert seen == [player.name for player in reversed(players)]


async def test_the_projection_follows_by_itself(edge: Edge, ana: LevelPlayer) -> None:
    """The loop counts what comes until it is told to stop."""
    lost = asyncio.Event()
    await play_level(ana, 1, think_ms=300)
    await count(edge)
    running = asyncio.create_task(projector(edge).run(2, lost))
    lost.set()
    await running

    assert [each.games for each in await statistics(edge, ana.name)] == [1]
