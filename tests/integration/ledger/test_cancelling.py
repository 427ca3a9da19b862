"""Cancelling keys on a real PostgreSQL, through real gRPC: spends, tombstones, reversals, and their races."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.domain.windows import Board
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.servicer import bind
from services.ledger.wire.messages import timestamp
from tests.support.edge import Edge, refusal_of, refused, serving
from tests.support.ledger_bench import LedgerBench

JOKER, POINTS = ledger_pb2.ASSET_JOKER, ledger_pb2.ASSET_POINTS


@dataclass
class Saga:
    """A served ledger as the match service calls it."""

    edge: Edge
    bench: LedgerBench
    stub: Any
    player: UUID

    def spend_request(self, key: str, request_id: str = "", **changed: Any) -> pb.PostTransferRequest:
        """Return the spend of a joker."""
        fields: dict[str, Any] = {
            "key": key,
            "asset": JOKER,
            "debit": f"players/{self.player}",
            "credit": "house/jokers",
            "amount": 1,
            "reason": "JOKER_USED",
            "occurred_time": timestamp(self.edge.clock.now()),
            "request_id": request_id or str(uuid4()),
        }
        return pb.PostTransferRequest(**{**fields, **changed})

    async def spend(self, key: str, request_id: str = "", **changed: Any) -> ledger_pb2.Transfer:
        """Spend a joker."""
        request = self.spend_request(key, request_id, **changed)
        response = await self.stub.PostTransfer(request, metadata=self.edge.as_service())
        transfer: ledger_pb2.Transfer = response.transfer
        return transfer

    async def cancel(self, key: str, request_id: str = "") -> pb.CancelTransferResponse:
        """Cancel a key."""
        request = pb.CancelTransferRequest(key=key, request_id=request_id or str(uuid4()))
        response: pb.CancelTransferResponse = await self.stub.CancelTransfer(
            request, metadata=self.edge.as_service()
        )
        return response

    async def grant(self, amount: int) -> ledger_pb2.Transfer:
        """Give the player jokers under a key that a service may cancel."""
        player = f"players/{self.player}"
        return await self.spend(
            f"shop/{uuid4()}", debit="house/jokers", credit=player, amount=amount, reason="JOKER_PURCHASE"
        )

    async def jokers(self) -> int:
        """Return how many jokers the player has."""
        request = pb.GetBalancesRequest(player=f"players/{self.player}")
        reply = await self.stub.GetBalances(request, metadata=self.edge.as_service())
        amount: int = reply.balances[0].amount
        return amount


@pytest.fixture
async def saga(database_url: str) -> AsyncIterator[Saga]:
    """A player without jokers at noon of 2026-03-02."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        yield Saga(edge, bench, pb_grpc.LedgerServiceStub(edge.channel), uuid4())


async def test_a_spent_joker_comes_back_once_however_often_it_is_cancelled(saga: Saga) -> None:
    """The reversal swaps the sides, names the original, keeps reason, instant and day; answers agree."""
    await saga.grant(1)
    spent = await saga.spend("match/1/joker/a/1")
    saga.edge.clock.advance(timedelta(days=2))
    answers = await asyncio.gather(*(saga.cancel("match/1/joker/a/1") for _ in range(40)))
    later = await saga.cancel("match/1/joker/a/1")
    reversal = later.reversal

    assert len({answer.SerializeToString(deterministic=True) for answer in [*answers, later]}) == 1
    assert (reversal.key, reversal.reverses) == ("reversal/match/1/joker/a/1", "match/1/joker/a/1")
    assert (reversal.debit, reversal.credit) == (spent.credit, spent.debit)
    assert (reversal.reason, reversal.occurred_time, reversal.day) == (
        spent.reason,
        spent.occurred_time,
        "2026-03-02",
    )
    assert later.cancelled_time == reversal.posted_time == timestamp(saga.edge.clock.now())
    assert await saga.jokers() == 1


async def test_after_a_reversal_the_spend_is_refused_for_ever(saga: Saga) -> None:
    """Whoever repeats it, with the same request or another, is not told that it stands."""
    await saga.grant(1)
    await saga.spend("k", "first")
    await saga.cancel("k")
    same = await refused(saga.spend("k", "first"))
    other = await refused(saga.spend("k"))

    assert {(refusal.code, refusal.reason) for refusal in (same, other)} == {
        (grpc.StatusCode.FAILED_PRECONDITION, "KEY_CANCELLED")
    }
    assert await saga.jokers() == 1


async def test_a_tombstone_refuses_its_key_for_ever(saga: Saga) -> None:
    """Cancelled first: no reversal; the spend is refused, with and without a balance; answers agree."""
    answers = await asyncio.gather(*(saga.cancel("k") for _ in range(40)))
    poor = await refused(saga.spend("k", "spend"))
    await saga.grant(1)
    rich = await refused(saga.spend("k", "spend"))
    saga.edge.clock.advance(timedelta(days=400))
    late = await refused(saga.spend("k", "spend"))
    again = await saga.cancel("k")

    assert {answer.SerializeToString() for answer in [*answers, again]} == {again.SerializeToString()}
    assert not again.HasField("reversal")
    assert [refusal.reason for refusal in (poor, rich, late)] == ["KEY_CANCELLED"] * 3
    assert poor.metadata == {"key": "k"}
    assert await saga.jokers() == 1


async def test_a_request_to_cancel_is_repeat_safe_by_its_id(saga: Saga) -> None:
    """The same id and key: the first answer. The same id and another key, or for a spend: refused by name."""
    await saga.grant(1)
    first = await saga.cancel("k", "once")
    copies = await asyncio.gather(*(saga.cancel("k", "once") for _ in range(20)))
    other = await refused(saga.cancel("l", "once"))
    spend = await refused(saga.spend("m", "once"))

    assert {copy.SerializeToString() for copy in copies} == {first.SerializeToString()}
    assert {other.reason, spend.reason} == {"REQUEST_ID_REUSED"}
    assert await saga.bench.count("SELECT count(*) FROM transfer") == 2


async def test_spend_and_cancel_of_one_key_at_once_end_in_one_of_two_ways(saga: Saga) -> None:
    """Spent then reversed, or tombstone then refused: 60 keys, several spends and cancels each, all agree."""
    await saga.grant(60)
    chance = random.Random(9)
    ways = {"reversed": 0, "tombstone": 0}
    for number in range(60):
        key = f"match/{number}/joker/x/1"
        spends = [saga.spend(key) for _ in range(3)]
        cancels = [saga.cancel(key) for _ in range(3)]
        calls: list[Any] = [*spends, *cancels]
        chance.shuffle(calls)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        cancelled = [answer for answer in answers if isinstance(answer, pb.CancelTransferResponse)]
        posted = [answer for answer in answers if isinstance(answer, ledger_pb2.Transfer)]
        refusals = [refusal_of(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]

        assert len(cancelled) == 3
        assert len({answer.SerializeToString(deterministic=True) for answer in cancelled}) == 1
        assert {refusal.reason for refusal in refusals} <= {"KEY_CANCELLED"}
        assert len(posted) + len(refusals) == 3
        if cancelled[0].HasField("reversal"):
            ways["reversed"] += 1
        else:
            ways["tombstone"] += 1
            assert not posted
        assert (await refused(saga.spend(key))).reason == "KEY_CANCELLED"

    assert await saga.jokers() == 60
    facts = [fact for _, fact in await _log(saga.bench)]
    assert sum(isinstance(fact, TransferCancelled) for fact in facts) == ways["tombstone"]
    assert sum(isinstance(fact, TransferPosted) and bool(fact.reverses) for fact in facts) == ways["reversed"]
    assert ways["reversed"] > 0
    assert ways["tombstone"] > 0


async def _log(bench: LedgerBench) -> list[tuple[int, Any]]:
    await bench.settle()
    return await bench.log()


async def test_what_was_spent_since_cannot_be_taken_back(saga: Saga) -> None:
    """A purchase whose jokers are gone stands; once they are there again it is reversed."""
    bought = await saga.grant(2)
    await saga.spend("k")
    poor = await refused(saga.cancel(bought.key, "void"))
    await saga.cancel("k")
    voided = await saga.cancel(bought.key, "void")

    assert (poor.code, poor.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "BALANCE_TOO_LOW")
    assert voided.reversal.amount == 2
    assert await saga.jokers() == 0


async def test_points_of_a_voided_result_leave_its_own_day(saga: Saga) -> None:
    """Reversed a day later: yesterday's board and the AMR lose them, even below zero; tables stay sound."""
    player = f"players/{saga.player}"
    won: dict[str, Any] = {
        "asset": POINTS,
        "debit": "house/points",
        "credit": player,
        "amount": 20,
        "reason": "QUICK_MATCH",
    }
    await saga.bench.settle()
    await saga.spend("match/1/quick/a", **won)
    await saga.spend("match/2/quick/a", **won)
    saga.edge.clock.advance(timedelta(days=1))
    voided = await saga.cancel("match/1/quick/a")
    await saga.cancel("match/3/quick/a")
    await saga.bench.settle()

    assert voided.reversal.day == "2026-03-02"
    assert [entry.points for entry in await saga.bench.shown(Board.AMR)] == [20]
    assert await saga.bench.shown(Board.DAILY) == []
    await saga.bench.check_tables()


async def test_keys_that_nobody_may_cancel_or_post_are_refused_by_name(saga: Saga) -> None:
    """The ledger's own keys, and what is no key: INVALID_ARGUMENT with the field."""
    wrong = ["", "with space", "k" * 201, "ä", "reversal/k", "daily/x/2026-03-02", "grant/x/y"]
    refusals = [await refused(saga.cancel(key)) for key in wrong]
    refusals += [await refused(saga.spend(key)) for key in wrong]
    no_id = await refused(
        saga.stub.CancelTransfer(pb.CancelTransferRequest(key="k"), metadata=saga.edge.as_service())
    )

    assert {(refusal.code, refusal.field) for refusal in refusals} == {
        (grpc.StatusCode.INVALID_ARGUMENT, "key")
    }
    assert no_id.field == "request_id"
    assert await saga.bench.count("SELECT count(*) FROM transfer") == 0


async def test_the_longest_key_can_be_reversed(saga: Saga) -> None:
    """200 characters, and the reversal's key is longer still."""
    await saga.grant(1)
    key = "k" * 200
    await saga.spend(key)

    assert (await saga.cancel(key)).reversal.key == f"reversal/{key}"


async def test_a_player_s_transfers_show_spend_and_reversal(saga: Saga) -> None:
    """Newest first; a tombstone is no transfer and is not listed."""
    await saga.grant(1)
    await saga.spend("k")
    await saga.cancel("k")
    await saga.cancel("never")
    request = pb.ListTransfersRequest(player="players/me")
    listed = await saga.stub.ListTransfers(request, metadata=saga.edge.as_player(saga.player))

    assert [(row.key.partition("/")[0], row.reverses) for row in listed.transfers] == [
        ("reversal", "k"),
        ("k", ""),
        ("shop", ""),
    ]
