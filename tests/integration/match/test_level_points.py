"""Places and points of finishes, as rows and events keep them."""

from __future__ import annotations

import asyncio

from sqlalchemy import text

from libs.pb.sparrow.match.v1 import match_event_pb2
from tests.support.edge import Edge
from tests.support.level_player import LevelPlayer, solution


async def _brought(player: LevelPlayer, took_ms: int) -> tuple[int, int, int]:
    result = (await player.clear(1, took_ms)).result
    return result.place, result.first_completion_points, result.time_bonus_points


async def test_places_and_bonuses_follow_the_order_of_finishing(edge: Edge) -> None:
    """Place is 1 + the others with a strictly better best time at that moment; equal times share a place."""
    players = [LevelPlayer(edge) for _ in range(12)]
    finishes = [await _brought(player, 1_000 + 10 * n) for n, player in enumerate(players)]

    assert finishes[0] == (1, 10, 10)
    assert finishes[1:10] == [(n, 10, 5) for n in range(2, 11)]
    assert finishes[10:] == [(11, 10, 0), (12, 10, 0)]
    assert await _brought(LevelPlayer(edge), 1_000) == (1, 10, 10)
    assert await _brought(LevelPlayer(edge), 1_001) == (3, 10, 5)


async def test_replays_earn_each_bonus_once(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """After a 5 a later 10 is possible; after a 10 nothing is, however good the time."""
    assert await _brought(ana, 1_000) == (1, 10, 10)
    assert await _brought(ben, 1_500) == (2, 10, 5)
    assert await _brought(ben, 1_400) == (2, 0, 0)
    assert await _brought(ben, 900) == (1, 0, 10)
    assert await _brought(ben, 800) == (1, 0, 0)
    assert await _brought(ana, 850) == (2, 0, 0)
    assert await _brought(ana, 700) == (1, 0, 0)


async def test_ones_own_better_time_is_no_rival(ana: LevelPlayer, ben: LevelPlayer) -> None:
    """A slower replay is placed among the other accounts only."""
    await _brought(ben, 1_000)
    await _brought(ana, 500)

    assert await _brought(ana, 700) == (1, 0, 0)


async def test_finishes_at_once_are_judged_one_after_the_other(edge: Edge) -> None:
    """Of players who finish at the same moment in the same time all share place 1, and nobody is lost."""
    players = [LevelPlayer(edge) for _ in range(6)]
    *moves, last = solution(1)

    async def almost(player: LevelPlayer) -> tuple[str, int]:
        match, version = await player.start(1), 0
        for tile in moves:
            version = (await player.touch(match.name, tile, version)).board_version
        return match.name, version

    ready = await asyncio.gather(*map(almost, players))
    updates = await asyncio.gather(
        *(p.touch(name, last, version) for p, (name, version) in zip(players, ready, strict=True))
    )

    assert [u.result.place for u in updates] == [1] * 6
    assert [u.result.time_bonus_points for u in updates] == [10] * 6
    assert len((await players[0].bests()).bests) == 6


async def test_a_new_catalogue_version_never_pays_twice(ana: LevelPlayer) -> None:
    """What was paid is kept by level number, whichever catalogue the attempt belonged to."""
    await _brought(ana, 1_000)
    database = ana.edge.databases[0]
    async with database.engine.connect() as connection:
        columns = await connection.execute(
            text("SELECT column_name FROM information_schema.columns WHERE table_name = 'level_award'")
        )
    assert "catalogue_version" not in {name for (name,) in columns}
    assert await _brought(ana, 900) == (1, 0, 0)


async def test_the_table_of_a_level_has_ten_places_and_the_callers_own(edge: Edge) -> None:
    """Ten best times, ties with the tenth, and the caller's row wherever it is; places are 1, 2, 2, 4."""
    players = [LevelPlayer(edge) for _ in range(13)]
    times = [100, 200, 200, 400, 500, 600, 700, 800, 900, 1_000, 1_000, 1_000, 1_300]
    for player, took_ms in zip(players, times, strict=True):
        await player.clear(1, took_ms)
    table = await players[12].bests()

    assert [(row.place, row.elapsed_ms) for row in table.bests] == [
        (1, 100), (2, 200), (2, 200), (4, 400), (5, 500), (6, 600), (7, 700), (8, 800), (9, 900),
        (10, 1_000), (10, 1_000), (10, 1_000),
    ]  # fmt: skip
    assert (table.own.place, table.own.player, table.own.elapsed_ms) == (13, players[12].name, 1_300)
    assert (await players[0].bests()).own == table.bests[0]
    assert not (await LevelPlayer(edge).bests()).HasField("own")


async def test_the_fact_of_a_finish_holds_what_the_reply_told(ana: LevelPlayer) -> None:
    """The ledger reads place and points from the event; it stands in the same stream as the last pair."""
    update = await ana.clear(1, took_ms=2_345)
    database = ana.edge.databases[0]
    async with database.engine.connect() as connection:
        found = await connection.execute(
            text("SELECT data FROM event WHERE type = 'sparrow.match.attempt_cleared.v1'")
        )
        [(data,)] = found.all()
    cleared = match_event_pb2.AttemptCleared.FromString(data)

    assert cleared.account_id == str(ana.account_id)
    assert (cleared.level, cleared.elapsed_ms, cleared.place) == (1, 2_345, update.result.place)
    assert (cleared.first_completion_points, cleared.time_bonus_points) == (10, 10)
