"""Daily bonuses, balances and grants over gRPC, behind the real edge, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest
from pydantic import SecretStr

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.domain.calendar import day_end, day_start
from services.ledger.domain.doubling import receipt
from services.ledger.domain.windows import Board
from services.ledger.servicer import bind
from tests.support.edge import Edge, Refusal, refused, serving
from tests.support.ledger_bench import LedgerBench

JOKER, CHIP = ledger_pb2.ASSET_JOKER, ledger_pb2.ASSET_CHIP


@dataclass
class Bonus:
    """A served ledger as one player sees it."""

    edge: Edge
    bench: LedgerBench
    stub: Any
    player: UUID

    @property
    def me(self) -> list[tuple[str, str]]:
        """The metadata of the player's calls, with a token that is fresh by the clock."""
        return self.edge.as_player(self.player)

    async def claim(self, request_id: str = "") -> pb.ClaimDailyBonusResponse:
        """Claim today's bonus."""
        request = pb.ClaimDailyBonusRequest(request_id=request_id or str(uuid4()))
        response: pb.ClaimDailyBonusResponse = await self.stub.ClaimDailyBonus(request, metadata=self.me)
        return response

    async def double(self, request_id: str = "", receipt: str = "") -> pb.DoubleDailyBonusResponse:
        """Double today's bonus."""
        request = pb.DoubleDailyBonusRequest(request_id=request_id or str(uuid4()), receipt=receipt)
        response: pb.DoubleDailyBonusResponse = await self.stub.DoubleDailyBonus(request, metadata=self.me)
        return response

    async def shown(self) -> ledger_pb2.DailyBonus:
        """Return where the bonus stands."""
        reply = await self.stub.GetDailyBonus(pb.GetDailyBonusRequest(), metadata=self.me)
        bonus: ledger_pb2.DailyBonus = reply.bonus
        return bonus

    async def balances(self) -> dict[int, int]:
        """Return jokers and chips."""
        request = pb.GetBalancesRequest(player="players/me")
        reply = await self.stub.GetBalances(request, metadata=self.me)
        return {row.asset: row.amount for row in reply.balances}

    def at(self, instant: datetime) -> None:
        """Move the clock to an instant."""
        self.edge.clock.advance(instant - self.edge.clock.now())


@pytest.fixture
async def bonus(database_url: str) -> AsyncIterator[Bonus]:
    """A player at noon of 2026-03-02, with nothing claimed yet."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        yield Bonus(edge, bench, pb_grpc.LedgerServiceStub(edge.channel), uuid4())


def names(refusals: list[Refusal]) -> list[tuple[grpc.StatusCode, str]]:
    """Return what clients branch on."""
    return [(refusal.code, refusal.reason) for refusal in refusals]


async def test_twenty_one_days_in_a_row_pay_as_promised(bonus: Bonus) -> None:
    """10 … 100, then 100 a day; jokers on days 10 and 20; the transfers say key, reason and day."""
    paid, jokers = [], []
    reply = pb.ClaimDailyBonusResponse()
    for day in range(1, 22):
        reply = await bonus.claim()
        assert reply.streak_day == day
        paid.append(reply.points.amount)
        if reply.HasField("joker"):
            jokers.append(day)
            assert reply.joker.key == f"daily/{bonus.player}/{reply.points.day}/joker"
            assert (reply.joker.asset, reply.joker.amount, reply.joker.reason) == (JOKER, 1, "JOKER_STREAK")
        bonus.edge.clock.advance(timedelta(days=1))

    assert paid == [10, 20, 30, 40, 50, 60, 70, 80, 90] + [100] * 12
    assert jokers == [10, 20]
    assert (reply.points.key, reply.points.reason) == (
        f"daily/{bonus.player}/2026-03-22",
        "DAILY_BONUS",
    )
    assert await bonus.balances() == {JOKER: 2, CHIP: 0}


async def test_fifty_claims_at_once_pay_one(bonus: Bonus) -> None:
    """49 are told ALREADY_CLAIMED; one request fifty times gets the same answer each time."""
    answers = await asyncio.gather(*(bonus.claim() for _ in range(50)), return_exceptions=True)
    paid = [answer for answer in answers if not isinstance(answer, BaseException)]
    bonus.edge.clock.advance(timedelta(days=1))
    same = await asyncio.gather(*(bonus.claim("one") for _ in range(50)))

    assert len(paid) == 1
    assert {reply.SerializeToString(deterministic=True) for reply in same} == {
        same[0].SerializeToString(deterministic=True)
    }
    assert same[0].streak_day == 2
    assert await bonus.bench.count("SELECT count(*) FROM transfer") == 2
    assert await bonus.bench.count("SELECT count(*) FROM event") == 2


async def test_fifty_doublings_at_once_pay_one(bonus: Bonus) -> None:
    """The points again, the joker not, even on a tenth day."""
    for _ in range(9):
        await bonus.claim()
        bonus.edge.clock.advance(timedelta(days=1))
    claimed = await bonus.claim()
    answers = await asyncio.gather(*(bonus.double() for _ in range(50)), return_exceptions=True)
    (paid,) = [answer for answer in answers if not isinstance(answer, BaseException)]

    assert claimed.HasField("joker")
    assert (paid.points.amount, paid.points.reason) == (100, "DAILY_BONUS_DOUBLED")
    assert paid.points.key == f"daily/{bonus.player}/2026-03-11/double"
    assert await bonus.balances() == {JOKER: 1, CHIP: 0}
    assert await bonus.bench.count("SELECT count(*) FROM transfer") == 10 + 1 + 1


async def test_refusals_are_named_and_change_nothing(bonus: Bonus) -> None:
    """Nothing claimed, claimed twice, doubled twice, doubled after midnight."""
    early = await refused(bonus.double())
    await bonus.claim()
    again = await refused(bonus.claim())
    await bonus.double()
    twice = await refused(bonus.double())
    bonus.edge.clock.advance(timedelta(days=1))
    late = await refused(bonus.double())

    assert [refusal.reason for refusal in (early, again, twice, late)] == [
        "NOTHING_TO_DOUBLE",
        "ALREADY_CLAIMED",
        "ALREADY_DOUBLED",
        "NOTHING_TO_DOUBLE",
    ]
    assert {refusal.code for refusal in (early, again, twice, late)} == {grpc.StatusCode.FAILED_PRECONDITION}
    assert await bonus.bench.count("SELECT count(*) FROM transfer") == 2


async def test_a_request_gets_its_first_answer_for_ever_and_never_another_body(bonus: Bonus) -> None:
    """Claim and doubling repeated a day later; one id for both is REQUEST_ID_REUSED."""
    claimed, doubled = await bonus.claim("c"), await bonus.double("d")
    misused = await refused(bonus.double("c"))
    bonus.edge.clock.advance(timedelta(days=1))
    await bonus.claim()

    assert await bonus.claim("c") == claimed
    assert await bonus.double("d") == doubled
    assert misused.reason == "REQUEST_ID_REUSED"


@pytest.mark.parametrize(
    "day", [date(2026, 3, 28), date(2026, 3, 29), date(2026, 10, 24), date(2026, 10, 25), date(2026, 12, 31)]
)
async def test_a_streak_lasts_over_every_midnight_whatever_the_day_lasts(bonus: Bonus, day: date) -> None:
    """At 0:00, a microsecond before the next midnight, and at that midnight; of 23, 24 and 25 hours."""
    bonus.at(day_start(day))
    first = await bonus.claim()
    bonus.at(day_end(day) - timedelta(microseconds=1))
    again = await refused(bonus.claim())
    doubled = await bonus.double()
    bonus.at(day_end(day))
    second = await bonus.claim()
    bonus.at(day_end(day_of(second)))
    bonus.at(day_end(day_of(second) + timedelta(days=1)) - timedelta(microseconds=1))
    third = await bonus.claim()

    assert again.reason == "ALREADY_CLAIMED"
    assert [reply.streak_day for reply in (first, second, third)] == [1, 2, 3]
    assert {first.points.day, doubled.points.day} == {day.isoformat()}
    assert day_of(third) - day == timedelta(days=2)


def day_of(reply: pb.ClaimDailyBonusResponse) -> date:
    """Return the Romanian day that a claim counted for."""
    return date.fromisoformat(reply.points.day)


async def test_a_missed_day_starts_again(bonus: Bonus) -> None:
    """Claimed on two days, not on the third: the fourth is day 1, and the state says so before."""
    await bonus.claim()
    bonus.edge.clock.advance(timedelta(days=1))
    await bonus.claim()
    bonus.edge.clock.advance(timedelta(days=2))
    broken = await bonus.shown()

    assert (broken.streak_day, broken.next_points) == (0, 10)
    assert (await bonus.claim()).streak_day == 1


async def test_a_clock_that_steps_back_over_midnight_pays_no_day_twice(bonus: Bonus) -> None:
    """Claimed at midnight, the clock a second before it: refused; the streak goes on the day after."""
    midnight = datetime(2026, 3, 2, 22, tzinfo=UTC)
    await bonus.claim()
    bonus.at(midnight)
    await bonus.claim()
    bonus.at(midnight - timedelta(seconds=1))
    back = [await refused(bonus.claim()), await refused(bonus.double())]
    bonus.at(midnight + timedelta(days=1))

    assert [refusal.reason for refusal in back] == ["ALREADY_CLAIMED", "NOTHING_TO_DOUBLE"]
    assert (await bonus.claim()).streak_day == 3


async def test_the_state_says_what_comes_next(bonus: Bonus) -> None:
    """Before, after the claim, after the doubling; today ends at midnight of Bucharest."""
    before = await bonus.shown()
    await bonus.claim()
    claimed = await bonus.shown()
    await bonus.double()
    doubled = await bonus.shown()

    assert (before.streak_day, before.claimed, before.next_points, before.doubling_points) == (
        0,
        False,
        10,
        0,
    )
    assert (claimed.streak_day, claimed.claimed) == (1, True)
    assert (claimed.next_points, claimed.doubling_points) == (20, 10)
    assert (doubled.doubled, doubled.doubling_points) == (True, 0)
    assert (before.day, before.time_zone) == ("2026-03-02", "Europe/Bucharest")
    assert before.end_time.ToDatetime(UTC) == datetime(2026, 3, 2, 22, tzinfo=UTC)


async def test_points_of_bonuses_count_on_the_boards_and_jokers_do_not(bonus: Bonus) -> None:
    """Ten days with the last one doubled: 650 on the AMR board, 200 today."""
    for _ in range(9):
        await bonus.claim()
        bonus.edge.clock.advance(timedelta(days=1))
    await bonus.claim()
    await bonus.double()
    await bonus.bench.settle()

    assert [entry.points for entry in await bonus.bench.shown(Board.AMR)] == [650]
    assert [entry.points for entry in await bonus.bench.shown(Board.DAILY)] == [200]
    await bonus.bench.check_tables()


async def test_the_streak_row_is_what_the_keys_of_the_journal_say(bonus: Bonus) -> None:
    """Days in a row counted from the keys daily/<account>/<day> alone."""
    for gap in (1, 1, 2, 1, 1, 1):
        await bonus.claim()
        bonus.edge.clock.advance(timedelta(days=gap))
    kept = await bonus.bench.journal.page(f"players/{bonus.player}", below=1 << 62, limit=50)
    days = sorted(date.fromisoformat(each.transfer.key.split("/")[2]) for _, each in kept)
    run = 1
    for one, following in pairwise(days):
        run = run + 1 if following - one == timedelta(days=1) else 1

    assert await bonus.bench.count("SELECT streak FROM daily_streak") == run == 3


async def test_a_doubling_asks_for_a_receipt_where_the_operator_wants_one(database_url: str) -> None:
    """The receipt is of this player and this day; the state tells that one is wanted."""
    key = b"an advertisement's secret"
    settings = {"daily_doubling_receipt_key": SecretStr(key.decode())}
    async with serving([bind], database_url=database_url, **settings) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        bonus = Bonus(edge, bench, pb_grpc.LedgerServiceStub(edge.channel), uuid4())
        await bonus.claim()
        today = date(2026, 3, 2)
        wrong = ["", "ä", receipt(key, uuid4(), today), receipt(key, bonus.player, date(2026, 3, 1))]
        told = [(await refused(bonus.double(receipt=shown))).reason for shown in wrong]
        state = await bonus.shown()
        doubled = await bonus.double("d", receipt(key, bonus.player, today))
        edge.clock.advance(timedelta(days=1))
        repeated = await bonus.double("d", receipt(key, bonus.player, today))

    assert told == ["RECEIPT_INVALID"] * 4
    assert state.doubling_needs_receipt
    assert doubled.points.amount == 10
    assert repeated == doubled


async def test_an_operator_grants_jokers_and_chips_once_a_request(bonus: Bonus) -> None:
    """Forty copies of one request give once; another request gives again; both name who and why."""
    operator = bonus.edge.as_operator()

    def grant(**changed: Any) -> Any:
        fields: dict[str, Any] = {
            "player": f"players/{bonus.player}",
            "asset": JOKER,
            "amount": 3,
            "reason": "GOODWILL",
            "request_id": "a",
        }
        return bonus.stub.GrantAsset(pb.GrantAssetRequest(**{**fields, **changed}), metadata=operator)

    async def one() -> pb.GrantAssetResponse:
        response: pb.GrantAssetResponse = await grant()
        return response

    copies = await asyncio.gather(*(one() for _ in range(40)))
    await grant(request_id="b", asset=CHIP, amount=200)
    reused = await refused(grant(amount=4))
    wrong = [
        await refused(grant(**{field: value}))
        for field, value in (
            ("player", "players/me"),
            ("player", "house/jokers"),
            ("asset", ledger_pb2.ASSET_POINTS),
            ("amount", 0),
            ("amount", -1),
            ("amount", 1_000_001),
            ("reason", "because"),
            ("request_id", ""),
        )
    ]

    assert len({copy.SerializeToString(deterministic=True) for copy in copies}) == 1
    transfer = copies[0].transfer
    assert (transfer.debit, transfer.reason, transfer.key.split("/")[::2]) == (
        "house/jokers",
        "GOODWILL",
        ["grant", "a"],
    )
    assert await bonus.balances() == {JOKER: 3, CHIP: 200}
    assert reused.reason == "REQUEST_ID_REUSED"
    assert [refusal.field for refusal in wrong] == [
        "player",
        "player",
        "asset",
        "amount",
        "amount",
        "amount",
        "reason",
        "request_id",
    ]
    assert {refusal.code for refusal in wrong} == {grpc.StatusCode.INVALID_ARGUMENT}


async def test_each_call_is_for_its_audience(bonus: Bonus) -> None:
    """Players do not grant or cancel, services do not claim, players read their own balances only."""
    mine = pb.GetBalancesRequest(player=f"players/{bonus.player}")
    grant = pb.GrantAssetRequest(
        player=f"players/{bonus.player}", asset=JOKER, amount=1, reason="X", request_id="r"
    )
    cancel = pb.CancelTransferRequest(key="k", request_id="r")
    claim = pb.ClaimDailyBonusRequest(request_id="r")
    service, operator = bonus.edge.as_service(), bonus.edge.as_operator()
    denied = [
        await refused(bonus.stub.GrantAsset(grant, metadata=bonus.me)),
        await refused(bonus.stub.GrantAsset(grant, metadata=service)),
        await refused(bonus.stub.CancelTransfer(cancel, metadata=bonus.me)),
        await refused(bonus.stub.CancelTransfer(cancel, metadata=operator)),
        await refused(bonus.stub.ClaimDailyBonus(claim, metadata=service)),
        await refused(bonus.stub.GetDailyBonus(pb.GetDailyBonusRequest(), metadata=operator)),
    ]
    foreign = await refused(bonus.stub.GetBalances(mine, metadata=bonus.edge.as_player()))
    seen = [await bonus.stub.GetBalances(mine, metadata=who) for who in (bonus.me, service, operator)]

    assert set(names(denied)) == {(grpc.StatusCode.PERMISSION_DENIED, "AUDIENCE")}
    assert names([foreign]) == [(grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS")]
    assert [[row.amount for row in reply.balances] for reply in seen] == [[0, 0]] * 3
