"""A table of a tournament over a whole installation: found, played, cut, looked back at, verified."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.game import LIVE, Game
from libs.client.replays import PlayedGame
from libs.client.results import GameState
from libs.client.rounds import Ending, Mode
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import TournamentMatchServiceStub
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys, service_token
from tests.support.edge import bearer
from tests.support.installation import Installation
from tests.support.tournament_hall import TournamentRound

pytestmark = pytest.mark.timeout(120)
LASTS = timedelta(seconds=9)


async def _begun(server: Installation, accounts: list[UUID]) -> TournamentRound:
    """Begin a table as the tournament service does."""
    now = SystemClock().now()
    played = TournamentRound(now + LASTS, [accounts], born_at=now)
    metadata = bearer(service_token(Keys.load(Path(server.data_dir) / "keys"), "tournament", now))
    async with grpc.aio.insecure_channel(server.endpoint) as channel:
        stub: Any = TournamentMatchServiceStub(channel)
        await stub.BeginTournamentMatches(played.request, metadata=metadata)
    return played


async def _play(game: Game) -> None:
    """Take pairs that can be seen until the table is cut."""
    following = asyncio.create_task(_follow(game))
    while game.state in LIVE:
        if game.state is GameState.RUNNING:
            with suppress(RefusedError):  # the end came in between
                await _pair(game)
        await asyncio.sleep(0.4)
    await asyncio.wait_for(following, 30)


async def _follow(game: Game) -> None:
    async for _seen in game.watch():
        pass


async def _pair(game: Game) -> None:
    free = sorted(game.board.free)
    faces = dict(game.board.faces)
    for first in free:
        for second in free:
            if first < second and faces.get(first) == faces.get(second) is not None:
                for tile in (first, second):
                    if game.state is GameState.RUNNING:
                        await game.touch(tile)
                return


def _ended(game: PlayedGame) -> datetime:
    assert game.end_time is not None
    return game.end_time


async def test_a_table_is_found_played_cut_and_verified(sparrow_server: Installation) -> None:
    """One plays, one does not show up; the end comes while the other still could go on."""
    async with AsyncExitStack() as stack:
        ana, ben = [
            await stack.enter_async_context(await SparrowClient.connect(sparrow_server.endpoint))
            for _ in range(2)
        ]
        accounts = [UUID(each.profile.name.removeprefix("players/")) for each in (ana, ben)]
        played = await _begun(sparrow_server, accounts)
        [listed] = [summary async for summary in ana.games()]
        game = await ana.game(listed.name)
        await asyncio.wait_for(_play(game), 60)
        [looked_back] = [each async for each in ben.history.games(Mode.TOURNAMENT)]
        replay = await ben.history.replay(looked_back.name)
    verified = await asyncio.to_thread(sparrow_server.sparrow, "verify", game.name, "--json")

    assert (listed.mode, listed.tournament) == (Mode.TOURNAMENT, game.tournament)
    assert game.tournament is not None
    assert game.tournament.tournament == f"tournaments/{played.tournament_id}"
    assert game.round_result is not None
    assert game.round_result.ending is Ending.CUT
    assert [(seat.cleared, seat.points) for seat in game.round_result.seats] == [(False, 0)] * 2
    assert game.round_result.seats[0].round_score > game.round_result.seats[1].round_score == 0
    assert (looked_back.name, _ended(looked_back)) == (game.name, played.ends_at)
    assert {step.player for step in replay.steps} == {ana.profile.name}
    assert json.loads(verified.stdout)["ok"], verified.stdout
