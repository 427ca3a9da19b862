"""Tournaments from their creation to their prizes, over real gRPC, with shortened times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import ConflictError, RefusedError
from libs.client.results import BoardKind
from libs.client.rounds import Mode
from libs.client.tournament_operations import TournamentOperator
from libs.client.tournament_views import (
    OperatorGround,
    Tournament,
    TournamentCancelling,
    TournamentEnding,
    TournamentPhase,
    TournamentPrize,
    TournamentStatus,
    TournamentTerms,
    TournamentTimes,
)
from libs.runtime.tokens import mint_operator_token
from tests.support.installation import Installation
from tests.support.tournament_player import take_part

pytestmark = pytest.mark.timeout(240)
TERMS = TournamentTerms(
    title="Evening",
    duration=timedelta(minutes=5),
    minimum=2,
    maximum=5,
    prizes=(TournamentPrize(30, 2, "evening"), TournamentPrize(20), TournamentPrize(10)),
    multipliers=(1, 3),
    times=TournamentTimes(timedelta(hours=1), timedelta(seconds=1), timedelta(seconds=4)),
)


@pytest.fixture
async def operator(sparrow_server: Installation) -> AsyncIterator[TournamentOperator]:
    """An operator at work."""
    key = sparrow_server.data_dir / "keys" / "operator.key"
    token = mint_operator_token(key, "ana", timedelta(minutes=10))
    async with TournamentOperator(sparrow_server.endpoint, token) as connected:
        yield connected


async def _created(
    operator: TournamentOperator, starts_in_s: float, terms: TournamentTerms = TERMS
) -> Tournament:
    start = datetime.now(UTC) + timedelta(seconds=starts_in_s)
    return await operator.create(terms, start, str(uuid4()))


async def test_five_bots_play_two_rounds_for_prizes(
    sparrow_server: Installation, operator: TournamentOperator
) -> None:
    """Each learns of its tables by the stream; prizes and cup are on the ledger, once."""
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(await SparrowClient.connect(sparrow_server.endpoint))
            for _ in range(5)
        ]
        late = await stack.enter_async_context(await SparrowClient.connect(sparrow_server.endpoint))
        created = await _created(operator, 3)
        entered = [await client.tournaments.register(created.name) for client in clients][-1]
        with pytest.raises(RefusedError, match="TOURNAMENT_FULL"):
            await late.tournaments.register(created.name)
        seen_by_late = await late.tournaments.get(created.name)
        listed = [each.name async for each in late.tournaments.list()]
        told = await asyncio.gather(
            *(take_part(client, created.name, number) for number, client in enumerate(clients))
        )
        standing = [line async for line in late.tournaments.standing(created.name)]
        tables = [
            [table async for table in late.tournaments.tables(created.name, number)] for number in (1, 2)
        ]
        over = [each.name async for each in late.tournaments.list(TournamentPhase.OVER)]
        winner = next(client for client in clients if client.profile.name == standing[0].player)
        async with asyncio.timeout(30):
            while not (await winner.wallet.balances()).cups:  # noqa: ASYNC110 on its way
                await asyncio.sleep(0.1)
        balances = await winner.wallet.balances()
        points = await _amr_points(winner)
    finished = told[0][0][-1].tournament

    assert [len(games) for _seen, games in told] == [2] * 5
    assert {game.mode for _seen, games in told for game in games} == {Mode.TOURNAMENT}

    assert entered.own is not None
    assert (entered.status, entered.registered, entered.own.registered) == (
        TournamentStatus.REGISTRATION,
        5,
        True,
    )
    assert seen_by_late.own is not None
    assert seen_by_late.own.entry_refusal == "TOURNAMENT_FULL"
    assert seen_by_late.own.entry_refusal_text == "This tournament is full."
    assert created.name in listed
    assert created.name in over
    assert (finished.status, finished.ending) == (TournamentStatus.FINISHED, TournamentEnding.ROUNDS)
    assert [sorted(len(table.seats) for table in played) for played in tables] == [[2, 3], [2, 3]]
    assert all(table.over and not table.cut for played in tables for table in played)
    earned = [
        sum(seat.points for played in tables for table in played for seat in table.seats if seat.player == p)
        for p in (line.player for line in standing)
    ]
    assert [line.points for line in standing] == earned == sorted(earned, reverse=True)
    assert earned[0] > 0
    assert [line.prize for line in standing[:1]] == [TERMS.prizes[0]]
    assert (dict(balances.cups), balances.jokers) == ({"evening": 1}, 2)
    assert points == 30


async def _amr_points(client: SparrowClient) -> int:
    """Wait until the own row is on the year's board."""
    async with asyncio.timeout(30):
        while True:
            [own] = [each for each in await client.standings() if each.window.board is BoardKind.AMR]
            if own.entry is not None:
                return own.entry.points
            await asyncio.sleep(0.1)


async def test_too_few_at_the_start_are_told_of_it(
    operator: TournamentOperator, client: SparrowClient
) -> None:
    """By the stream, whose last message says so, and on the page."""
    created = await _created(operator, 2)
    await client.tournaments.register(created.name)
    told = [seen.tournament async for seen in client.tournaments.watch(created.name)]

    assert (told[-1].status, told[-1].cancelling) == (
        TournamentStatus.CANCELLED,
        TournamentCancelling.TOO_FEW,
    )
    with pytest.raises(RefusedError, match="TOURNAMENT_CANCELLED"):
        await client.tournaments.withdraw(created.name)


async def test_of_many_who_want_the_last_place_one_gets_it(
    sparrow_server: Installation, operator: TournamentOperator
) -> None:
    """At once; a place that is given up is free again, and coming back is possible."""
    created = await _created(operator, 600)
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(await SparrowClient.connect(sparrow_server.endpoint))
            for _ in range(16)
        ]
        for client in clients[:4]:
            await client.tournaments.register(created.name)
        told = await asyncio.gather(*(_try(client, created.name) for client in clients[4:] for _ in range(4)))
        first = clients[0]
        left = await first.tournaments.withdraw(created.name)
        with pytest.raises(RefusedError, match="NOT_REGISTERED"):
            await first.tournaments.withdraw(created.name)
        back = await first.tournaments.register(created.name)
    await operator.cancel(created.name, OperatorGround.OTHER, str(uuid4()))

    assert set(told) == {"IN", "TOURNAMENT_FULL"}
    assert told.count("IN") == 4, "one player, in all its four calls"
    assert (left.registered, back.registered) == (4, 5)


async def _try(client: SparrowClient, name: str) -> str:
    while True:
        try:
            await client.tournaments.register(name)
        except RefusedError as refused:
            return refused.reason
        except ConflictError:
            continue
        return "IN"
