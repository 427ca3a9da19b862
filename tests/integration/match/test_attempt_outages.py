"""Attempts at a level across times in which nobody could be served: they stay off the clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from tests.support.edge import Edge
from tests.support.level_player import LevelPlayer, levels_served, solution


async def told(edge: Edge, since: datetime, until: datetime) -> None:
    """Write an outage, and wait until the replica knows of it."""
    pool = edge.databases[0].pool
    await pool.execute("INSERT INTO outage (from_at, to_at) VALUES ($1, $2)", since, until)
    await asyncio.sleep(1.2)


async def pauses(edge: Edge) -> int:
    """How many pauses are stored."""
    count = await edge.databases[0].pool.fetchval(
        "SELECT count(*) FROM event WHERE type = 'sparrow.match.clock_paused.v1'"
    )
    assert isinstance(count, int)
    return count


async def on_database_time(edge: Edge) -> datetime:
    """Set the served clock to that of the database, by which replicas beat."""
    now: datetime = await edge.databases[0].pool.fetchval("SELECT clock_timestamp()")
    edge.clock.advance(now - edge.clock.now())
    return now


async def test_a_restart_of_all_replicas_costs_a_player_no_time(database_url: str) -> None:
    """Four seconds without a replica: the outage is found at the start, and the level's time excludes it."""
    async with levels_served(database_url) as edge:
        await on_database_time(edge)
        ana = LevelPlayer(edge)
        match = await ana.start(1)
        first, *rest = solution(1)
        version = (await ana.touch(match.name, first, 0)).board_version
    await asyncio.sleep(4)
    async with levels_served(database_url) as edge:
        ana = LevelPlayer(edge, ana.account_id, ana.session_id)
        await asyncio.sleep(1)  # a beat or two: the replica is there again
        now = await on_database_time(edge)
        [outage] = await edge.databases[0].pool.fetch("SELECT from_at, to_at FROM outage")
        update = match_pb2.MatchUpdate()
        for tile in rest:
            update = await ana.touch(match.name, tile, version)
            version = update.board_version
        read = await ana.get(match.name)

        wall = now - match.start_time.ToDatetime(UTC)
        paused = outage["to_at"] - max(outage["from_at"], match.start_time.ToDatetime(UTC))
        assert paused > timedelta(seconds=3.5)
        assert update.result.elapsed_ms == (wall - paused) // timedelta(milliseconds=1)
        assert read.result == update.result
        assert await pauses(edge) == 1
        [row] = (await ana.bests()).bests
        assert row.elapsed_ms == update.result.elapsed_ms


async def test_every_view_of_an_attempt_leaves_an_outage_out(edge: Edge, ana: LevelPlayer) -> None:
    """The list even before the pause is written, the snapshot, and the list of one that was left."""
    match = await ana.start(1)
    began = edge.clock.now()
    edge.clock.advance(timedelta(seconds=20))
    await told(edge, began + timedelta(seconds=5), began + timedelta(seconds=15))
    [listed] = (await ana.stub.ListMatches(pb.ListMatchesRequest(), metadata=ana.metadata)).matches
    assert (listed.elapsed_ms, await pauses(edge)) == (10_000, 0)
    read = await ana.get(match.name)
    assert (read.elapsed_ms, read.board.board_version, await pauses(edge)) == (10_000, 0, 1)
    edge.clock.advance(timedelta(seconds=1))
    await ana.leave(match.name)
    [left] = (await ana.stub.ListMatches(pb.ListMatchesRequest(), metadata=ana.metadata)).matches

    assert left.elapsed_ms == (await ana.get(match.name)).elapsed_ms == 11_000


async def test_watchers_see_the_pause_and_then_the_command(edge: Edge, ana: LevelPlayer) -> None:
    """The command that takes the outage out is repeat-safe, and its answer speaks of the command alone."""
    match = await ana.start(1)
    stream = ana.watch(match.name)
    await asyncio.wait_for(stream.read(), 5)
    began = edge.clock.now()
    edge.clock.advance(timedelta(seconds=20))
    await told(edge, began + timedelta(seconds=5), began + timedelta(seconds=15))
    key, tile = str(uuid4()), solution(1)[0]
    lifted = await ana.touch(match.name, tile, 0, key)
    again = await ana.touch(match.name, tile, 0, key)
    pause, move = [(await asyncio.wait_for(stream.read(), 5)).update for _ in range(2)]
    stream.cancel()

    assert lifted == again == move
    assert (lifted.outcome, lifted.board_version) == (match_pb2.TOUCH_OUTCOME_LIFTED, 1)
    assert (pause.outcome, pause.board_version) == (match_pb2.TOUCH_OUTCOME_UNSPECIFIED, 0)
    assert pause.start_time.ToDatetime(UTC) == began + timedelta(seconds=10)
    assert await pauses(edge) == 1


async def test_the_shortened_time_takes_the_place(edge: Edge, ana: LevelPlayer, ben: LevelPlayer) -> None:
    """Thirty seconds of which twenty were an outage beat twenty seconds; a repeat says the same."""
    await ben.clear(1, took_ms=20_000)
    match = await ana.start(1)
    began = edge.clock.now()
    edge.clock.advance(timedelta(seconds=30))
    await told(edge, began + timedelta(seconds=2), began + timedelta(seconds=22))
    *moves, last = solution(1)
    for version, tile in enumerate(moves):
        await ana.touch(match.name, tile, version)
    first = await ana.touch(match.name, last, len(moves), "the-last-one-of-all")
    repeat = await ana.touch(match.name, last, len(moves), "the-last-one-of-all")

    assert first == repeat
    assert (first.result.elapsed_ms, first.result.place) == (10_000, 1)
