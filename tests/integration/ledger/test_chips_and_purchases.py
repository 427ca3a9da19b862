"""Daily chips and purchases of jokers over gRPC, behind the real edge, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest
from pydantic import SecretStr

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.assets import Asset
from services.ledger.domain.calendar import day_end, day_start
from services.ledger.domain.purchases import Purchase, signed_receipt
from services.ledger.domain.windows import Board
from services.ledger.servicer import bind
from services.ledger.wire.messages import timestamp
from tests.support.edge import Edge, refusal_of, refused, serving
from tests.support.ledger_bench import LedgerBench, points_order

JOKER, CHIP = ledger_pb2.ASSET_JOKER, ledger_pb2.ASSET_CHIP
SHOP_KEY = b"the shop's secret"
FAILED, DENIED = grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.PERMISSION_DENIED


@dataclass
class Owner:
    """A served ledger as one player, its shop and its pool tables see it."""

    edge: Edge
    bench: LedgerBench
    stub: Any
    player: UUID

    @property
    def me(self) -> list[tuple[str, str]]:
        """The metadata of the player's calls, with a token that is fresh by the clock."""
        return self.edge.as_player(self.player)

    async def claim(self, request_id: str = "") -> ledger_pb2.Transfer:
        """Claim today's chips."""
        request = pb.ClaimChipsRequest(request_id=request_id or str(uuid4()))
        response = await self.stub.ClaimChips(request, metadata=self.me)
        transfer: ledger_pb2.Transfer = response.transfer
        return transfer

    async def redeem(
        self, receipt: str, request_id: str = "", as_: UUID | None = None
    ) -> ledger_pb2.Transfer:
        """Redeem a receipt."""
        request = pb.RedeemPurchaseRequest(receipt=receipt, request_id=request_id or str(uuid4()))
        metadata = self.me if as_ is None else self.edge.as_player(as_)
        response = await self.stub.RedeemPurchase(request, metadata=metadata)
        transfer: ledger_pb2.Transfer = response.transfer
        return transfer

    async def welcome(self, amount: int = 1_000) -> None:
        """Post what a new profile gets."""
        order = points_order(self.player, amount, self.edge.clock.now(), key=f"chips/welcome/{self.player}")
        await self.bench.post(replace(order, asset=Asset.CHIP, debit="house/chips", reason="CHIPS_WELCOME"))

    async def move_chips(self, amount: int) -> None:
        """Win chips at a pool table, or lose them when negative."""
        player = f"players/{self.player}"
        debit, credit = ("house/pool", player) if amount > 0 else (player, "house/pool")
        request = pb.PostTransferRequest(
            key=f"pool/{uuid4()}",
            asset=CHIP,
            debit=debit,
            credit=credit,
            amount=abs(amount),
            reason="POOL",
            occurred_time=timestamp(self.edge.clock.now()),
            request_id=str(uuid4()),
        )
        await self.stub.PostTransfer(request, metadata=self.edge.as_service())

    async def held(self) -> dict[int, int]:
        """Return jokers and chips."""
        request = pb.GetBalancesRequest(player=f"players/{self.player}")
        reply = await self.stub.GetBalances(request, metadata=self.edge.as_service())
        return {row.asset: row.amount for row in reply.balances}

    def receipt(self, receipt_id: str, jokers: int = 5, account: UUID | None = None) -> str:
        """Return what the shop signs."""
        return signed_receipt(SHOP_KEY, Purchase(receipt_id, account or self.player, jokers))

    def at(self, instant: datetime) -> None:
        """Move the clock to an instant."""
        self.edge.clock.advance(instant - self.edge.clock.now())


@pytest.fixture
async def broke(owner: Owner) -> Owner:
    """That player, welcomed with chips, who lost them all."""
    await owner.welcome()
    await owner.move_chips(-1_000)
    return owner


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[Owner]:
    """A player without anything at noon of 2026-03-02, on a site with a shop."""
    shop = SecretStr(SHOP_KEY.decode())
    async with serving([bind], database_url=database_url, purchase_receipt_key=shop) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        yield Owner(edge, bench, pb_grpc.LedgerServiceStub(edge.channel), uuid4())


async def test_chips_are_topped_up_to_200_once_a_day_and_only_below(broke: Owner) -> None:
    """From nothing 200; again the same day: refused; with 199 tomorrow: 1; with 200: refused, until lost."""
    first = await broke.claim()
    again = await refused(broke.claim())
    await broke.move_chips(-1)
    spent_same_day = await refused(broke.claim())
    broke.edge.clock.advance(timedelta(days=1))
    second = await broke.claim()
    broke.edge.clock.advance(timedelta(days=1))
    enough = await refused(broke.claim())
    await broke.move_chips(-150)
    third = await broke.claim()

    assert (first.key, first.debit, first.reason, first.amount) == (
        f"chips/daily/{broke.player}/2026-03-02",
        "house/chips",
        "CHIPS_DAILY",
        200,
    )
    assert [(refusal.code, refusal.reason) for refusal in (again, spent_same_day, enough)] == [
        (FAILED, "CHIPS_CLAIMED"),
        (FAILED, "CHIPS_CLAIMED"),
        (FAILED, "CHIPS_ENOUGH"),
    ]
    assert (second.amount, third.amount) == (1, 150)
    assert await broke.held() == {JOKER: 0, CHIP: 200}


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25), date(2026, 12, 31)])
async def test_the_day_of_chips_ends_at_midnight_to_the_microsecond(broke: Owner, day: date) -> None:
    """The last microsecond of a day of 23, 25 or 24 hours and the first of the next are two claims."""
    broke.at(day_end(day) - timedelta(microseconds=1))
    before = await broke.claim()
    await broke.move_chips(-200)
    refusal = await refused(broke.claim())
    broke.at(day_end(day))
    after = await broke.claim()
    broke.at(day_start(day))  # a clock that steps back pays neither day again
    back = await refused(broke.claim())

    assert (before.day, after.day) == (day.isoformat(), (day + timedelta(days=1)).isoformat())
    assert (before.amount, after.amount) == (200, 200)
    assert [refusal.reason, back.reason] == ["CHIPS_CLAIMED"] * 2


async def test_fifty_claims_at_once_give_once_and_a_request_gets_its_first_answer(broke: Owner) -> None:
    """49 are told CHIPS_CLAIMED; one request fifty times, a day later too, gets the same transfer."""
    answers = await asyncio.gather(*(broke.claim() for _ in range(50)), return_exceptions=True)
    given = [answer for answer in answers if not isinstance(answer, BaseException)]
    told = {refusal_of(answer).reason for answer in answers if isinstance(answer, grpc.aio.AioRpcError)}
    broke.edge.clock.advance(timedelta(days=1))
    await broke.move_chips(-50)
    same = await asyncio.gather(*(broke.claim("one") for _ in range(50)))
    broke.edge.clock.advance(timedelta(days=400))
    later = await broke.claim("one")

    assert len(given) == 1
    assert told == {"CHIPS_CLAIMED"}
    assert {answer.SerializeToString(deterministic=True) for answer in [*same, later]} == {
        same[0].SerializeToString(deterministic=True)
    }
    assert await broke.held() == {JOKER: 0, CHIP: 200}


async def test_a_top_up_counts_what_is_held_under_the_lock(broke: Owner) -> None:
    """Claims among spends and wins: whatever the order, the claim left exactly 200 at its moment."""
    chance = random.Random(20260302)
    for _ in range(12):
        await broke.move_chips(180)
        moves = [chance.choice([-7, -3, 2, 5]) for _ in range(10)]
        calls = [broke.move_chips(move) for move in moves]
        claims = [broke.claim() for _ in range(3)]
        mixed = [*calls, *claims]
        chance.shuffle(mixed)
        await asyncio.gather(*mixed, return_exceptions=True)
        kept = await broke.bench.journal.page(f"players/{broke.player}", below=1 << 62, limit=200)
        balance, topped = 0, 0
        for _, each in reversed(kept):
            taken = each.transfer.credit.startswith("players/")
            balance += each.transfer.amount if taken else -each.transfer.amount
            if each.transfer.reason == "CHIPS_DAILY":
                topped += 1
                assert balance == 200
        assert topped <= (await broke.bench.count("SELECT count(DISTINCT day) FROM transfer"))
        assert (await broke.held())[CHIP] == balance
        broke.edge.clock.advance(timedelta(days=1))
        await broke.move_chips(-balance)


async def test_chips_of_a_new_profile_come_before_a_top_up(owner: Owner) -> None:
    """A claim that is quicker than the welcome adds nothing to it."""
    early = await refused(owner.claim())
    await owner.welcome()
    enough = await refused(owner.claim())

    assert [(refusal.code, refusal.reason) for refusal in (early, enough)] == [
        (FAILED, "WELCOME_PENDING"),
        (FAILED, "CHIPS_ENOUGH"),
    ]
    assert await owner.held() == {JOKER: 0, CHIP: 1_000}


async def test_a_receipt_brings_its_jokers_once_for_ever(owner: Owner) -> None:
    """64 requests at once, one of them 400 days later again: the same transfer; not on any board."""
    receipt = owner.receipt("GPA.3345-1:a_b", 5)
    answers = await asyncio.gather(*(owner.redeem(receipt) for _ in range(64)))
    await owner.bench.settle()
    owner.edge.clock.advance(timedelta(days=400))
    later = await owner.redeem(receipt)

    assert {answer.SerializeToString(deterministic=True) for answer in [*answers, later]} == {
        later.SerializeToString(deterministic=True)
    }
    assert (later.key, later.debit, later.amount, later.reason, later.day) == (
        "purchase/GPA.3345-1:a_b",
        "house/jokers",
        5,
        "JOKER_PURCHASE",
        "2026-03-02",
    )
    assert await owner.held() == {JOKER: 5, CHIP: 0}
    assert await owner.bench.shown(Board.AMR) == []


async def test_receipts_that_the_shop_did_not_sign_for_this_player_are_refused(owner: Owner) -> None:
    """Another player's, another key's, altered, cut, malformed: named, and nothing is given."""
    good, other = owner.receipt("r1"), uuid4()
    signed = good.rpartition("/")[0]
    wrong = [
        signed_receipt(b"another", Purchase("r1", owner.player, 5)),
        good.replace("/5/", "/6/"),
        good.replace("r1", "r2"),
        good[:-1],
        signed,
        "nonsense",
        good.upper(),
        owner.receipt("r1", 0),
        owner.receipt("r1", 1_000_001),
        owner.receipt("with/slash"),
        owner.receipt("", 5),
        owner.receipt("i" * 101, 5),
    ]
    told = [await refused(owner.redeem(receipt)) for receipt in wrong]
    foreign = await refused(owner.redeem(good, as_=other))
    fields = [await refused(owner.redeem(receipt)) for receipt in ("", "ä", "a b", "x" * 1_001)]

    assert {(refusal.code, refusal.reason) for refusal in told} == {(FAILED, "PURCHASE_INVALID")}
    assert (foreign.code, foreign.reason) == (DENIED, "NOT_YOURS")
    assert {refusal.field for refusal in fields} == {"receipt"}
    assert await owner.bench.count("SELECT count(*) FROM transfer") == 0
    assert (await owner.redeem(good)).amount == 5


async def test_one_receipt_id_signed_for_two_purchases_is_an_error_by_name(owner: Owner) -> None:
    """Other jokers or another player under a redeemed id: KEY_REUSED, told an operator; the first stays."""
    await owner.redeem(owner.receipt("r1", 5))
    other = uuid4()
    more = await refused(owner.redeem(owner.receipt("r1", 6)))
    another = await refused(owner.redeem(owner.receipt("r1", 5, other), as_=other))

    assert {(refusal.code, refusal.reason) for refusal in (more, another)} == {(FAILED, "KEY_REUSED")}
    assert await owner.held() == {JOKER: 5, CHIP: 0}
    assert await owner.bench.count("SELECT count(*) FROM transfer") == 1
    assert await owner.bench.count("SELECT count(*) FROM parked WHERE consumer = 'order purchase/r1'") == 1


async def test_a_request_of_a_purchase_gets_its_first_answer_and_never_another_body(owner: Owner) -> None:
    """Repeated with the same receipt: the transfer; the same id with another receipt: REQUEST_ID_REUSED."""
    first = await owner.redeem(owner.receipt("r1"), "one")
    again = await owner.redeem(owner.receipt("r1"), "one")
    reused = await refused(owner.redeem(owner.receipt("r2"), "one"))

    assert first == again
    assert reused.reason == "REQUEST_ID_REUSED"


async def test_a_site_without_a_shop_sells_nothing(database_url: str) -> None:
    """Even a receipt that some key signed is refused as NO_SHOP."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        owner = Owner(edge, bench, pb_grpc.LedgerServiceStub(edge.channel), uuid4())
        refusal = await refused(owner.redeem(owner.receipt("r1")))

    assert (refusal.code, refusal.reason) == (FAILED, "NO_SHOP")


async def test_chips_and_purchases_are_for_players_and_their_keys_for_the_ledger(owner: Owner) -> None:
    """Services and operators do not claim; nobody posts or cancels under chips/ and purchase/."""
    await owner.redeem(owner.receipt("r1"))
    claim = pb.ClaimChipsRequest(request_id="r")
    service, operator = owner.edge.as_service(), owner.edge.as_operator()
    denied = [
        await refused(owner.stub.ClaimChips(claim, metadata=service)),
        await refused(owner.stub.ClaimChips(claim, metadata=operator)),
        await refused(
            owner.stub.RedeemPurchase(
                pb.RedeemPurchaseRequest(receipt="x", request_id="r"), metadata=operator
            )
        ),
    ]
    cancels = [
        await refused(
            owner.stub.CancelTransfer(
                pb.CancelTransferRequest(key=key, request_id=str(uuid4())), metadata=service
            )
        )
        for key in ("purchase/r1", f"chips/daily/{owner.player}/2026-03-02")
    ]

    assert {(refusal.code, refusal.reason) for refusal in denied} == {(DENIED, "AUDIENCE")}
    assert {refusal.field for refusal in cancels} == {"key"}
    assert owner.edge.clock.now() == datetime(2026, 3, 2, 12, tzinfo=UTC)
