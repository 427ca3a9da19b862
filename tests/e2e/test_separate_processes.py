"""Every service a process of its own, match as two replicas behind one address."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator

import pytest

from libs.cli.bot import GiveUp, Peek, TakePair, choose
from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.errors import SparrowError
from libs.client.game import Game
from libs.client.results import BoardKind, GameState, Update
from libs.client.watching import Snapshot
from libs.runtime.config import SERVICES
from libs.runtime.health_probe import is_serving
from tests.support.playing import clear
from tests.support.separate import SeparateProcesses
from tests.support.servers import NatsServer
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
REPLICAS = ("match", "match-2")


@pytest.fixture(scope="module")
def sparrow(
    module_database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SeparateProcesses]:
    """Seven processes and the front door, on a database and a NATS of their own."""
    nats = NatsServer()
    nats.start()
    processes = SeparateProcesses(tmp_path_factory.mktemp("separate"), module_database_url, nats.url)
    try:
        processes.start()
        yield processes
    finally:
        processes.remove()
        nats.remove()


@pytest.fixture
def failed() -> list[SparrowError]:
    """The tries that the client had to repeat."""
    return []


@pytest.fixture
async def client(sparrow: SeparateProcesses, failed: list[SparrowError]) -> AsyncIterator[SparrowClient]:
    """A new player at the one address; both replicas are there."""
    async with await SparrowClient.connect(
        sparrow.endpoint, retries=Retries(on_retry=failed.append)
    ) as connected:
        yield connected


@pytest.mark.parametrize("name", SERVICES)
def test_each_process_serves_its_own_service_and_no_other(sparrow: SeparateProcesses, name: str) -> None:
    """The health of a process knows one service of ours, and the process itself."""
    address = sparrow.address(name)
    named = {other: f"sparrow.{other}.v1.{other.capitalize()}Service" for other in SERVICES}

    assert [other for other in SERVICES if is_serving(address, 5, named[other])] == [name]
    assert is_serving(address, 5, "alive")


async def touches(game: Game, count: int) -> int:
    """Make some moves as a bot would; return how many were accepted before the game could not go on."""
    rng, made, peeked = random.Random(7), 0, set[int]()
    while made < count and game.state is GameState.RUNNING:
        match choose(game.board, frozenset(peeked), rng, 0.0):
            case TakePair((first, second)):
                for tile in [second] if game.board.lifted == first else [first, second]:
                    await game.touch(tile)
                    made += 1
                peeked.clear()
            case Peek(tile):
                peeked.add(tile)
                await game.touch(tile)
                made += 1
            case GiveUp():
                break
    return made


async def follow(game: Game, into: list[Snapshot | Update]) -> None:
    """Collect what a watcher is told."""
    async for message in game.watch():
        into.append(message)  # noqa: PERF401 looked at while it grows


def versions(told: list[Snapshot | Update]) -> list[int]:
    """The board versions of a watcher's updates that moves brought."""
    return [one.board_version for one in told if isinstance(one, Update) and one.outcome is not None]


async def test_a_game_outlives_one_of_two_replicas(sparrow: SeparateProcesses, client: SparrowClient) -> None:
    """Both replicas take its moves, all watchers see them; after one is killed it is cleared and counted."""
    game = await client.start_level(2)
    seen: list[list[Snapshot | Update]] = [[], []]
    watchers = [asyncio.create_task(follow(await client.game(game.name), told)) for told in seen]
    await until(lambda: all(seen))
    before = await touches(game, 8)
    await until(lambda: all(versions(told)[-1:] == [game.board.version] for told in seen), within_s=5)
    await until(lambda: sum(sparrow.calls(name, "Touch") for name in REPLICAS) >= before, within_s=5)
    accepted = [sparrow.calls(name, "Touch") for name in REPLICAS]

    sparrow.kill("match")
    after = await touches(game, 6)
    await until(lambda: all(versions(told)[-1:] == [game.board.version] for told in seen), within_s=15)
    cleared = await clear(game)

    assert min(accepted) >= 2, f"both replicas accept moves: {accepted}"
    assert sum(accepted) == before
    for told in seen:
        assert versions(told)[: before + after] == list(range(1, before + after + 1))
    assert cleared.result is not None
    async with asyncio.timeout(10):
        while any(standing.entry is None for standing in (await client.standings())[:3]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    for board in list(BoardKind)[:3]:
        rows = [row async for row in client.board(board) if row.player == client.profile.name]
        assert [row.points for row in rows] == [cleared.result.points]
    await asyncio.gather(*watchers) if cleared is game else [watcher.cancel() for watcher in watchers]


async def test_a_replica_that_comes_back_takes_moves_again(
    sparrow: SeparateProcesses, client: SparrowClient
) -> None:
    """The front door finds it by its health, within some seconds."""
    sparrow.start_service("match")
    await asyncio.to_thread(sparrow.wait_serving, "match")
    began = sparrow.calls("match", "StartLevel")

    async with asyncio.timeout(15):
        while sparrow.calls("match", "StartLevel") == began:
            await (await client.start_level(1)).leave()


async def test_a_replica_that_stops_in_good_order_costs_nobody_a_call(
    sparrow: SeparateProcesses, client: SparrowClient, failed: list[SparrowError]
) -> None:
    """While a replica drains, its calls are sent to the other: the client repeats nothing."""
    game = await client.start_level(3)
    stopping = asyncio.create_task(asyncio.to_thread(sparrow.stop, "match-2"))
    made = 0
    while not stopping.done():
        made += await touches(game, 4)
        if game.state is not GameState.RUNNING or game.board.is_blocked:
            game = await client.start_level(3)

    assert await stopping == 0
    assert made >= 4
    assert failed == []
