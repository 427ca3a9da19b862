"""Watching matches of others as users do: client library and command line, through real processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest

from libs.cli.table_bot import automatic
from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.errors import ConflictError, RefusedError
from libs.client.game import Game
from libs.client.spectated import SpectatedMatch, SpectateMode, SpectateState
from libs.client.tickets import QueueKind
from tests.e2e.conftest import QUICK_TABLES
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(240)
DELAY_S = 2


@pytest.fixture(scope="module")
def near_sparrow() -> Iterator[Installation]:
    """A running Sparrow that shows spectators what happens two seconds later."""
    installation = Installation(spectate_delay_s=DELAY_S, **QUICK_TABLES)
    try:
        installation.start()
        yield installation
    finally:
        installation.remove()


@pytest.fixture
async def three(near_sparrow: Installation) -> AsyncIterator[list[SparrowClient]]:
    """Two who play, and one who watches."""
    patient = Retries(for_s=60)
    clients = [await SparrowClient.connect(near_sparrow.endpoint, retries=patient) for _ in range(3)]
    yield clients
    for client in clients:
        await client.close()


async def _begin(three: list[SparrowClient]) -> list[Game]:
    games = await asyncio.gather(*(client.find_match(QueueKind.QUICK) for client in three[:2]))
    for game in games:
        while not game.board.free:
            await asyncio.sleep(0.2)
            await game.refresh()
    return list(games)


async def _touch(game: Game, times: int) -> None:
    """Lift a tile and put it back, unless the seat went out meanwhile on a slow machine."""
    tile = min(game.board.free)
    with suppress(RefusedError):
        for _ in range(times):
            await game.touch(tile)


async def _leave(games: list[Game]) -> None:
    for game in games:
        with suppress(RefusedError):
            await game.leave()


async def test_a_spectator_follows_a_match_over_a_killed_process(
    near_sparrow: Installation, three: list[SparrowClient]
) -> None:
    """Listed, watched on the delay, every move once, the result at the end; whoever plays is refused."""
    games = await _begin(three)
    name = games[0].name
    seen: list[SpectatedMatch] = []

    async def watch() -> None:
        async for each in three[2].spectating.watch(name):
            seen.append(each)  # noqa: PERF401 it is read before it is whole

    watching = asyncio.create_task(watch())
    await _touch(games[0], 6)
    await asyncio.sleep(DELAY_S + 1)
    live = await three[2].spectating.live(SpectateMode.QUICK)
    own = await three[0].spectating.live()
    with pytest.raises(RefusedError) as refused:
        async for _ in three[0].spectating.watch(name):
            pass
    near_sparrow.kill("serving")
    await _touch(games[0], 4)
    await _leave(games)
    await asyncio.wait_for(watching, 60)
    acts = [move.act for each in seen for move in each.moves]
    touches = [act for act in acts if act != "out"]

    assert [match.name for match in live.matches] == [name]
    assert live.delay_ms == DELAY_S * 1_000
    assert name not in [match.name for match in own.matches]
    assert refused.value.reason == "SPECTATOR_SEATED"
    assert touches == (["lifted", "put_back"] * len(touches))[: len(touches)]
    assert len(touches) >= 4
    assert seen[-1].state is SpectateState.OVER
    assert {result.player for result in seen[-1].results} == {c.profile.name for c in three[:2]}


async def test_sparrow_watch_lists_matches_and_tells_one_to_a_pipe(
    near_sparrow: Installation, three: list[SparrowClient]
) -> None:
    """The list as a table and as JSON; a match as a line a change, and its result."""
    games = await _begin(three)
    name = games[0].name
    await asyncio.sleep(DELAY_S + 1)
    table, listed = await asyncio.gather(
        asyncio.to_thread(near_sparrow.sparrow, "watch", "--mode", "quick"),
        asyncio.to_thread(near_sparrow.sparrow, "watch", "--json"),
    )
    told = asyncio.create_task(asyncio.to_thread(near_sparrow.sparrow, "watch", name))
    lines = asyncio.create_task(asyncio.to_thread(near_sparrow.sparrow, "watch", name, "--json"))
    await asyncio.sleep(4)
    await _leave(games)
    text, documents = await asyncio.wait_for(asyncio.gather(told, lines), 60)
    last = json.loads(documents.stdout.splitlines()[-1])

    assert name in table.stdout
    assert "2 s ago" in table.stdout
    assert name in [match["name"] for match in json.loads(listed.stdout)["matches"]]
    assert "(−2 s)" in text.stdout  # noqa: RUF001 a minus
    assert "place" in text.stdout
    assert (last["state"], last["delay_ms"], len(last["results"])) == ("over", 2_000, 2)


async def _play(client: SparrowClient, name: str) -> None:
    """Play a table to its closing."""
    async for news in client.tables.watch(name):
        if news.table.deal.actions:
            with suppress(RefusedError, ConflictError):  # the deal went on meanwhile
                await client.tables.act(news.table, automatic(news.table.deal))


async def test_sparrow_watch_lists_tables_and_tells_one_to_a_pipe(
    near_sparrow: Installation, three: list[SparrowClient]
) -> None:
    """Every discard in a sentence, and the end; a line a change for programs, in which no hand is open."""
    name, idle = [(await client.tables.open_table()).name for client in three[:2]]
    playing = asyncio.create_task(_play(three[0], name))
    told = asyncio.create_task(asyncio.to_thread(near_sparrow.sparrow, "watch", name))
    lines = asyncio.create_task(asyncio.to_thread(near_sparrow.sparrow, "watch", name, "--json"))
    await asyncio.sleep(DELAY_S + 1)
    listed = await asyncio.to_thread(near_sparrow.sparrow, "watch")
    text, documents = await asyncio.wait_for(asyncio.gather(told, lines), 60)
    await playing
    seen = [json.loads(line)["news"]["table"] for line in documents.stdout.splitlines()]
    going_on = [table for table in seen if table["deal"]["phase"] != "over"]

    assert idle in listed.stdout
    assert "3 AI" in listed.stdout
    assert "discards" in text.stdout
    assert seen[-1]["closing"] == "played"
    assert len(going_on) > 20
    assert not any(seat["hand"] for table in going_on for seat in table["deal"]["seats"])
    assert all(seat["hand"] for seat in seen[-1]["deal"]["seats"])
