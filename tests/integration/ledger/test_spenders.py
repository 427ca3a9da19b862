"""Many who spend from one balance at once, through gRPC and in batches, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from services.ledger.assets import Asset
from services.ledger.domain.journal import BALANCE_MAX, Refusal
from services.ledger.events import TransferPosted
from tests.support.edge import refusal_of, refused
from tests.support.ledger_bench import LedgerBench, points_order
from tests.support.ledger_calls import LedgerCalls, ledger_calls

JOKER, CHIP = ledger_pb2.ASSET_JOKER, ledger_pb2.ASSET_CHIP
HOUSE = {JOKER: "house/jokers", CHIP: "house/chips"}
SPENDERS = 64


@pytest.fixture
async def calls(database_url: str) -> AsyncIterator[LedgerCalls]:
    """A ledger where nobody owns anything."""
    async with ledger_calls(database_url) as served:
        yield served


@pytest.mark.parametrize("asset", [JOKER, CHIP])
async def test_64_spenders_succeed_exactly_as_often_as_the_balance_lasts(
    calls: LedgerCalls, asset: ledger_pb2.Asset.ValueType
) -> None:
    """Of 100, 64 callers want 3 each at once: 33 get them, 31 are told BALANCE_TOO_LOW, 1 is left."""
    player = uuid4()
    house, purse = HOUSE[asset], f"players/{player}"
    await calls.post(calls.order(asset, house, purse, 100))
    wanted = [calls.order(asset, purse, house, 3) for _ in range(SPENDERS)]

    answers = await asyncio.gather(*map(calls.post, wanted), return_exceptions=True)
    errors = [refusal_of(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]

    assert [answer.amount for answer in answers if isinstance(answer, ledger_pb2.Transfer)] == [3] * 33
    assert [(error.code, error.reason) for error in errors] == [
        (grpc.StatusCode.FAILED_PRECONDITION, "BALANCE_TOO_LOW")
    ] * 31
    assert (await calls.held(player))[asset] == 1
    assert len(await calls.transfers(player)) == 1 + 33


async def test_64_players_who_pay_each_other_crosswise_lose_nothing(calls: LedgerCalls) -> None:
    """Chips go round among four purses in all directions: no deadlock, none below zero, the sum stays."""
    players = [uuid4() for _ in range(4)]
    for player in players:
        await calls.post(calls.order(CHIP, HOUSE[CHIP], f"players/{player}", 50))
    chance = random.Random(64)
    payments = []
    for _ in range(4 * SPENDERS):
        giver, taker = chance.sample(players, 2)
        payments.append(calls.order(CHIP, f"players/{giver}", f"players/{taker}", chance.randrange(1, 40)))

    answers = await asyncio.gather(*map(calls.post, payments), return_exceptions=True)
    reasons = {refusal_of(answer).reason for answer in answers if isinstance(answer, grpc.aio.AioRpcError)}
    held = [(await calls.held(player))[CHIP] for player in players]

    assert reasons <= {"BALANCE_TOO_LOW"}
    assert not [
        answer for answer in answers if not isinstance(answer, ledger_pb2.Transfer | grpc.aio.AioRpcError)
    ]
    assert sum(held) == 200
    assert min(held) >= 0


async def test_64_batches_of_spends_at_once_never_go_below_zero(bench: LedgerBench) -> None:
    """Facts of three players in batches of six: each purse is emptied to what its last order leaves."""
    players = [UUID(int=number) for number in range(1, 4)]
    now = bench.clock.now()
    for player in players:
        await bench.post(replace(points_order(player, 100, now), asset=Asset.JOKER))
    chance = random.Random(6)

    def batch() -> list[UUID]:
        drawn = [*players, *players]
        chance.shuffle(drawn)
        return drawn

    outcomes = await asyncio.gather(
        *(
            bench.post(*(replace(points_order(player, -1, now), asset=Asset.JOKER) for player in batch()))
            for _ in range(SPENDERS)
        )
    )
    flat = [outcome for of_batch in outcomes for outcome in of_batch]

    assert sum(isinstance(outcome, TransferPosted) for outcome in flat) == 3 * 100
    assert sum(outcome is Refusal.BALANCE_TOO_LOW for outcome in flat) == 3 * 28
    assert await bench.count("SELECT sum(amount) FROM balance") == 0


async def test_64_spends_and_their_cancellings_at_once_give_everything_back(calls: LedgerCalls) -> None:
    """Each key is spent and cancelled in a race: whoever comes first, the purse is full again at the end."""
    player = uuid4()
    purse = f"players/{player}"
    await calls.post(calls.order(JOKER, HOUSE[JOKER], purse, 5))
    spends = [calls.order(JOKER, purse, HOUSE[JOKER], 1) for _ in range(SPENDERS)]
    race = [call for spend in spends for call in (calls.post(spend), calls.cancel(spend.key))]
    random.Random(5).shuffle(race)

    answers = await asyncio.gather(*race, return_exceptions=True)
    reasons = {refusal_of(answer).reason for answer in answers if isinstance(answer, grpc.aio.AioRpcError)}

    assert reasons <= {"BALANCE_TOO_LOW", "KEY_CANCELLED"}
    assert (await calls.held(player))[JOKER] == 5


async def test_a_purse_holds_up_to_two_to_the_53_and_what_is_more_is_refused(calls: LedgerCalls) -> None:
    """At the edge: one more is BALANCE_TOO_HIGH by post, grant of another and reversal; nothing moves."""
    player, other = uuid4(), uuid4()
    purse = f"players/{player}"
    await calls.post(calls.order(CHIP, HOUSE[CHIP], purse, 10**12))
    await calls.bench.database.pool.execute("UPDATE balance SET amount = $1", BALANCE_MAX - 1)
    spent = await calls.post(calls.order(CHIP, purse, HOUSE[CHIP], 7))
    await calls.post(calls.order(CHIP, HOUSE[CHIP], purse, 8))
    full = await refused(calls.post(calls.order(CHIP, HOUSE[CHIP], purse, 1)))
    most = await refused(calls.post(calls.order(CHIP, HOUSE[CHIP], purse, 10**12)))
    back = await refused(calls.cancel(spent.key))
    await calls.post(calls.order(CHIP, purse, f"players/{other}", 10**12))

    assert {(refusal.code, refusal.reason) for refusal in (full, most, back)} == {
        (grpc.StatusCode.FAILED_PRECONDITION, "BALANCE_TOO_HIGH")
    }
    assert (await calls.held(player))[CHIP] == BALANCE_MAX - 10**12
    assert (await calls.held(other))[CHIP] == 10**12
