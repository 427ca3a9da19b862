"""kill -9 in mid-demo: nothing that was acknowledged is lost or doubled, and play goes on."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import shutil

import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.report import Report, document
from libs.cli.demo.run import Demo, Plan
from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.devices import MemoryDeviceStore
from libs.client.game import Game
from libs.client.results import Update
from libs.client.watching import Snapshot
from tests.support.installation import Installation
from tests.support.playing import clear
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(400)
RESULTS_BEFORE, RESULTS_AFTER = 3, 5
WITHIN_S = 60.0


@pytest.fixture
def seed() -> int:
    """Decides players' choices and the instant of the crash; SPARROW_E2E_SEED repeats a run."""
    number = int(os.environ.get("SPARROW_E2E_SEED") or secrets.randbelow(1_000_000))
    print(f"SPARROW_E2E_SEED={number}")  # noqa: T201 shown where a test fails
    return number


def _demo(installation: Installation, seed: int) -> Demo:
    pace = Pace(think_ms=30, patience_s=30)
    return Demo(Plan(installation.endpoint, players=6, seconds=WITHIN_S, seed=seed, pace=pace, live=False))


async def _finish_after(demo: Demo, running: asyncio.Task[Report], more: int) -> Report:
    """Let the bots clear so many more levels, then stop them; return the report."""
    enough = len(demo.journal.results) + more
    await until(lambda: len(demo.journal.results) >= enough or running.done(), WITHIN_S)
    demo.stop.set()
    return await running


@pytest.mark.parametrize("part", ["serving", "worker", "nats", "postgres"])
async def test_boards_are_right_after_kill_9(sparrow_server: Installation, part: str, seed: int) -> None:
    """A part dies while bots play: it is started again, and the boards equal the naive fold."""
    demo = _demo(sparrow_server, seed)
    running = asyncio.create_task(demo.run())
    await until(lambda: len(demo.journal.results) >= RESULTS_BEFORE or running.done(), WITHIN_S)
    await asyncio.sleep(random.Random(f"{seed}/{part}").random())
    before = sparrow_server.children()[part]

    sparrow_server.kill(part)
    report = await _finish_after(demo, running, RESULTS_AFTER)

    assert report.equal, document(report)
    assert len(report.journal.results) >= RESULTS_BEFORE + RESULTS_AFTER
    assert sparrow_server.children()[part] != before


async def test_a_watcher_and_a_player_live_through_the_death_of_the_server(
    sparrow_server: Installation,
) -> None:
    """The serving process dies between touches: the touch after it is answered, each update is seen once."""
    async with await SparrowClient.connect(sparrow_server.endpoint, retries=Retries(for_s=30)) as client:
        game = await client.start_level(4)
        watched = await client.game(game.name)
        seen: list[Snapshot | Update] = []
        watcher = asyncio.create_task(_follow(watched, seen))
        await until(lambda: bool(seen))
        tiles = sorted(game.board.free)[:4]
        for tile in tiles[:2]:
            await game.touch(tile)
        sparrow_server.kill("serving")
        for tile in tiles[2:]:
            await game.touch(tile)
        await game.leave()
        await asyncio.wait_for(watcher, 30)

    updates = [message for message in seen if isinstance(message, Update)]
    assert [type(message) for message in seen].count(Snapshot) == 1
    assert [update.tile for update in updates if update.outcome is not None] == tiles
    assert watched.board == game.board


async def _follow(game: Game, seen: list[Snapshot | Update]) -> None:
    async for message in game.watch():
        seen.append(message)  # noqa: PERF401 looked at while it grows


async def test_boards_are_right_after_everything_died(sparrow_server: Installation, seed: int) -> None:
    """The foreground process is killed and everything with it; started again, the same demo ends right."""
    demo = _demo(sparrow_server, seed)
    running = asyncio.create_task(demo.run())
    await until(lambda: len(demo.journal.results) >= RESULTS_BEFORE or running.done(), WITHIN_S)

    await asyncio.to_thread(sparrow_server.crash)
    await asyncio.to_thread(sparrow_server.start)
    report = await _finish_after(demo, running, RESULTS_AFTER)

    assert report.equal, document(report)


async def test_a_wiped_nats_is_refilled(sparrow_server: Installation, seed: int) -> None:
    """With JetStream's folder deleted while Sparrow was stopped, later points still reach the boards."""
    assert await asyncio.to_thread(sparrow_server.stop) == 0
    shutil.rmtree(sparrow_server.data_dir / "nats")
    await asyncio.to_thread(sparrow_server.start)

    demo = _demo(sparrow_server, seed)
    report = await _finish_after(demo, asyncio.create_task(demo.run()), RESULTS_AFTER)

    assert report.equal, document(report)


async def test_a_running_attempt_goes_on_after_a_restart(sparrow_server: Installation) -> None:
    """SIGTERM drains with exit code 0; after the next start the same board takes the next touch."""
    device = MemoryDeviceStore()
    async with await SparrowClient.connect(sparrow_server.endpoint, store=device) as client:
        game = await client.start_level(3)
        first = min(game.board.free)
        await game.touch(first)

        assert await asyncio.to_thread(sparrow_server.stop) == 0
        await asyncio.to_thread(sparrow_server.start)

        await game.put_back()
        finished = await clear(game)
        assert finished.result is not None
    async with await SparrowClient.connect(sparrow_server.endpoint, store=device) as again:
        played = [summary.name async for summary in again.games()]
    assert (again.created, finished.name in played) == (False, True)
