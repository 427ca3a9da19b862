"""A level is played over gRPC, and the boards move."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from libs.cli.demo.journal import Acknowledged
from libs.cli.demo.verdict import judge
from libs.client.client import SparrowClient
from libs.client.devices import MemoryDeviceStore
from libs.client.errors import RefusedError
from libs.client.results import BoardKind, GameState, Update
from libs.client.watching import Snapshot
from tests.support.installation import Installation
from tests.support.playing import clear
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(400)
BOARDS_WITHIN_S = 2.0


async def test_a_cleared_level_shows_on_all_three_boards_within_two_seconds(client: SparrowClient) -> None:
    """The points of a first completion, and the bonus for the time, stand on AMR, weekly and daily."""
    game = await clear(await client.start_level(2))
    assert game.result is not None

    async with asyncio.timeout(BOARDS_WITHIN_S):
        while any(standing.entry is None for standing in (await client.standings())[:3]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    standings = await client.standings()
    rows = {
        board: [row.points async for row in client.board(board) if row.player == client.profile.name]
        for board in BoardKind
    }
    assert game.result.first_completion_points == 10
    three = list(BoardKind)[:3]
    assert [standing.entry and standing.entry.points for standing in standings[:3]] == [
        game.result.points
    ] * 3
    assert rows == {board: [game.result.points] if board in three else [] for board in BoardKind}


async def test_the_verdict_of_a_demo_notices_one_missing_result(client: SparrowClient) -> None:
    """Points on the boards that nobody acknowledged, and the reverse, are differences on all three."""
    me = client.profile.name
    game = await clear(await client.start_level(6))
    assert game.result is not None
    assert game.end_time is not None
    acknowledged = Acknowledged(game.name, me, game.level, game.end_time, game.result)
    async with asyncio.timeout(BOARDS_WITHIN_S):
        while any(told.differences for told in await judge(client, [acknowledged], [me])):  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    forgotten = await judge(client, [], [me])
    doubled = await judge(client, [acknowledged, replace(acknowledged, match="matches/another")], [me])

    assert all(verdict.differences for verdict in (*forgotten, *doubled))


async def test_a_level_pays_its_first_completion_once(client: SparrowClient) -> None:
    """The second completion of a level by the same player brings no points for completing it."""
    first = await clear(await client.start_level(5))
    second = await clear(await client.start_level(5))

    assert first.result is not None
    assert second.result is not None
    assert (first.result.first_completion_points, second.result.first_completion_points) == (10, 0)
    assert (await client.level(5)).best_ms == min(first.result.elapsed_ms, second.result.elapsed_ms)


async def test_a_watcher_sees_every_touch_once_and_the_end(client: SparrowClient) -> None:
    """One snapshot, then the updates of all commands in order, up to the one that ended the attempt."""
    game = await client.start_level(1)
    watched = await client.game(game.name)
    seen: list[Snapshot | Update] = []

    async def follow() -> None:
        async for message in watched.watch():
            seen.append(message)  # noqa: PERF401 looked at while it grows

    watcher = asyncio.create_task(follow())
    await until(lambda: bool(seen))
    for tile in sorted(game.board.free)[:4]:
        await game.touch(tile)
    await game.leave()
    await asyncio.wait_for(watcher, 10)

    updates = [message for message in seen if isinstance(message, Update)]
    versions = [update.board_version for update in updates if update.outcome is not None]
    assert [type(message) for message in seen].count(Snapshot) == 1
    assert versions == sorted(set(versions))
    assert len(versions) == 4
    assert watched.state is GameState.LEFT
    assert watched.board.present == game.board.present


async def test_a_second_device_takes_the_seat_over(sparrow_server: Installation) -> None:
    """When another session of the same player watches a game, the first stream ends and says so."""
    device = MemoryDeviceStore()
    async with (
        await SparrowClient.connect(sparrow_server.endpoint, store=device) as phone,
        await SparrowClient.connect(sparrow_server.endpoint, store=device) as laptop,
    ):
        game = await phone.start_level(1)
        first, second = game.watch(), (await laptop.game(game.name)).watch()
        await anext(first)
        await anext(second)

        with pytest.raises(RefusedError) as caught:
            async with asyncio.timeout(10):
                await anext(first)
        await game.leave()
        assert [type(message) async for message in second] == [Update]

    assert caught.value.reason == "SEAT_TAKEN_OVER"


async def test_another_players_game_is_out_of_reach(
    client: SparrowClient, sparrow_server: Installation
) -> None:
    """Looking at, or moving on, a game of somebody else is refused by name."""
    game = await client.start_level(1)
    async with await SparrowClient.connect(sparrow_server.endpoint) as stranger:
        with pytest.raises(RefusedError) as caught:
            await stranger.game(game.name)

    assert caught.value.reason == "NOT_YOURS"
