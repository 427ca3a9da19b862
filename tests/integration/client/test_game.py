"""Playing and watching through the client."""

from __future__ import annotations

import asyncio

from libs.client.client import SparrowClient
from libs.client.game import Game
from libs.client.results import GameState, Update
from libs.client.watching import Snapshot
from tests.support.pairs import pair_of
from tests.support.tiny_sparrow import TinySparrow
from tests.support.waiting import until


async def _follow(game: Game, seen: list[Snapshot | Update]) -> None:
    async for message in game.watch():
        seen.append(message)  # noqa: PERF401 the tests look while it grows


async def test_the_local_board_is_the_servers_board(client: SparrowClient) -> None:
    """After every touch the board that the client keeps equals the one that the server tells."""
    game = await client.start_level(1)

    for _ in range(3):
        for tile in pair_of(game.board):
            await game.touch(tile)
            told = await client.game(game.name)
            assert game.board == told.board


async def test_a_broken_stream_is_joined_without_a_gap_or_a_repeat(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """Streams that break and stutter: the watcher sees one snapshot and every update exactly once."""
    game = await client.start_level(1)
    watched = await client.game(game.name)
    tiny.faults.break_streams_after = [1, 0, 2, 3, 1]
    seen: list[Snapshot | Update] = []
    watcher = asyncio.create_task(_follow(watched, seen))
    for _ in range(4):
        for tile in pair_of(game.board):
            await game.touch(tile)
            await asyncio.sleep(0.05)
    await game.leave()
    await asyncio.wait_for(watcher, 10)

    snapshots = [message for message in seen if isinstance(message, Snapshot)]
    versions = [message.board_version for message in seen if isinstance(message, Update)]
    assert len(snapshots) == 1
    assert versions == list(range(snapshots[0].board.version + 1, 10))
    assert watched.board == game.board
    assert watched.state is GameState.LEFT


async def test_a_resume_token_that_is_too_old_costs_a_snapshot(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """RESUME_EXPIRED starts over with a snapshot, and the watcher goes on from there."""
    game = await client.start_level(1)
    watched = await client.game(game.name)
    tiny.faults.break_streams_after = [1]
    seen: list[Snapshot | Update] = []
    watcher = asyncio.create_task(_follow(watched, seen))
    await until(lambda: bool(seen))
    tiny.faults.refuse = ["RESUME_EXPIRED"]
    await until(lambda: not tiny.faults.refuse)
    await game.leave()
    await asyncio.wait_for(watcher, 10)

    assert sum(isinstance(message, Snapshot) for message in seen) == 2
