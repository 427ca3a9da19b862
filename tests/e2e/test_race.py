"""Races through the client library and in the terminal, against a whole running Sparrow."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.race_views import CpuLevel, Difficulty, RaceMove, RaceState
from libs.client.races import RaceGame
from libs.client.tickets import QueueKind
from libs.runtime.config import REPOSITORY
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(180)


async def _race(game: RaceGame) -> None:
    """Play as a bot: whatever pair is seen, a shuffle when blocked, give up when stuck."""
    seen = asyncio.create_task(_follow(game))
    while game.view.state is RaceState.COUNTDOWN:  # noqa: ASYNC110 the stream moves it on
        await asyncio.sleep(0.05)
    while game.view.state is RaceState.RUNNING and not game.view.board.is_cleared:
        board = game.view.board
        pair = next(
            ((a, b) for a in board.free for b in board.free if a < b and board.faces[a] == board.faces[b]),
            None,
        )
        try:
            if pair is not None:
                assert (await game.remove(*pair)).move is RaceMove.PAIR
            elif game.view.stuck:
                await game.give_up()
                break
            else:
                await game.shuffle()
        except RefusedError:  # the race ended, or its news came first
            await game.refresh()
    await asyncio.wait_for(seen, 30)


async def _follow(game: RaceGame) -> None:
    async for _view in game.watch():
        pass


async def test_two_bots_race_in_a_group_and_again(
    client: SparrowClient, sparrow_server: Installation
) -> None:
    """The same board, two results, best times, and another game."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as rival:
        group = await client.races.create_group(Difficulty.START)
        joined = await rival.races.join_group(group.link)
        mine = await client.races.start(group.name)
        theirs = await rival.races.game(mine.view.name)
        assert not mine.view.board.faces
        await asyncio.gather(_race(mine), _race(theirs))
        await rival.races.ask_for_another(group.name)
        again = await client.races.start(group.name)
        record = await client.races.record()
        await client.races.leave_group(group.name)
        left = await rival.races.group()
        await rival.races.leave_group(group.name)

    assert joined.members == (client.profile.name, rival.profile.name)
    assert mine.view.state is theirs.view.state is RaceState.OVER
    assert mine.view.results == theirs.view.results
    assert {result.player for result in mine.view.results} == set(joined.members)
    assert again.view.name != mine.view.name
    assert left.host == rival.profile.name
    cleared = any(r.player == client.profile.name and r.elapsed_ms is not None for r in mine.view.results)
    assert bool(record.bests_ms) == cleared
    assert record.rating is None


async def _rating_on_the_board(client: SparrowClient) -> int | None:
    """What the ledger's board of ratings shows, once it has followed."""
    for _ in range(100):
        for standing in await client.standings():
            if standing.window.board.value == "race_rating" and standing.entry is not None:
                return standing.entry.points
        await asyncio.sleep(0.1)
    return None


async def test_strangers_race_out_of_the_queue(sparrow_server: Installation) -> None:
    """Ten seconds after the second one; both have a rating afterwards, which the ledger's board shows.

    Whatever was played, the race and a game of training among it, runs again from its events as it was.
    """
    async with (
        await SparrowClient.connect(sparrow_server.endpoint) as ana,
        await SparrowClient.connect(sparrow_server.endpoint) as ben,
    ):
        waiting = [await one.queue(QueueKind.RACE) for one in (ana, ben)]
        names = await asyncio.wait_for(asyncio.gather(*(each.match() for each in waiting)), 40)
        games = [await one.races.game(name) for one, name in zip((ana, ben), names, strict=True)]
        await asyncio.gather(*(_race(game) for game in games))
        ratings = [(await one.races.record()).rating for one in (ana, ben)]
        on_board = [await _rating_on_the_board(one) for one in (ana, ben)]
        training = await ana.pools.train()
        await training.hint()
        await training.restart()
    verified = await asyncio.to_thread(sparrow_server.sparrow, "verify", names[0], "--json")
    replayed = json.loads((await asyncio.to_thread(sparrow_server.sparrow, "replay", "--json")).stdout)

    found = json.loads(verified.stdout)
    assert found["ok"], verified.stdout
    assert [each["what"] for each in found["findings"]] == ["events", "deal", "moves", "result", "ratings"]
    assert replayed["named"] == []
    assert min(replayed["races"], replayed["pools"]) >= 1
    assert names[0] == names[1]
    assert len(games[0].view.board.places) == 68
    assert None not in ratings
    assert on_board == ratings
    assert {result.rating for result in games[0].view.results} == set(ratings)


async def test_a_race_against_cpu_players_can_be_typed(sparrow_server: Installation) -> None:
    """Through a pipe: a tile, a hint, and giving up; the places are shown."""
    command = [sys.executable, "-m", "libs.cli.main", "play", "race", "--bot", "2", "--level"]
    command += [CpuLevel.HARD, "--difficulty", "start", "--endpoint", sparrow_server.endpoint]
    child = await asyncio.create_subprocess_exec(
        *command, cwd=REPOSITORY, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(child.communicate(b"0\nh\nq\n"), 60)
    text = out.decode()

    assert child.returncode == 0
    assert "34 tiles left, 3 shuffles, 3 hints" in text
    assert "go together" in text
    assert "CPU hard" in text
    assert "You: 0%" in text


async def test_a_race_is_listed_told_and_seen_again(sparrow_server: Installation) -> None:
    """From the command line: its place in the list, each step with its progress, and the board as it lay."""

    def asked(*words: str, stdin: str = "") -> str:
        done = sparrow_server.sparrow(*words, "--profile", "looks-back", stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    asked("play", "race", "--bot", "1", "--difficulty", "start", stdin="h\nq\n")
    listed: list[dict[str, Any]] = []
    for _ in range(100):
        listed = json.loads(asked("matches", "list", "--mode", "race", "--json"))
        if listed:
            break
        await asyncio.sleep(0.1)
    [race] = listed
    shown = asked("matches", "show", race["name"])
    seen = asked("matches", "replay", race["name"], "--speed", "1000")
    told = json.loads(asked("matches", "show", race["name"], "--json"))

    assert (race["mode"], race["difficulty"], race["seats"]) == ("race", "start", 2)
    assert "hint" in shown
    assert "gave up" in shown
    assert "given up at 0 %" in shown
    assert len(told["boards"][0]["places"]) == 34
    assert "board as it was dealt" in seen
    assert "gave up" in seen
