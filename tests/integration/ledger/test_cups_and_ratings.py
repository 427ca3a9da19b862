"""Cups and ratings as tournaments and races post them, over gRPC, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from services.ledger.assets import Asset
from services.ledger.domain.windows import STANDING_SHEET_DAY, Board, Sheet
from services.ledger.events import TransferPosted
from tests.support.edge import refused
from tests.support.ledger_calls import LedgerCalls, ledger_calls

CUP, RATING, JOKER, CHIP = (
    ledger_pb2.ASSET_CUP,
    ledger_pb2.ASSET_RATING,
    ledger_pb2.ASSET_JOKER,
    ledger_pb2.ASSET_CHIP,
)

RATINGS = Sheet(Board.RACE_RATING, STANDING_SHEET_DAY)


@pytest.fixture
async def calls(database_url: str) -> AsyncIterator[LedgerCalls]:
    """A ledger whose boards are open."""
    async with ledger_calls(database_url) as served:
        await served.bench.settle()
        yield served


async def test_a_cup_is_kept_with_its_kind_and_is_no_balance(calls: LedgerCalls) -> None:
    """Posted, listed, in the log with its kind; jokers and chips stay what they were; no board counts it."""
    player = uuid4()
    order = calls.order(CUP, "house/cups", f"players/{player}", 1, cup_kind="champions")
    posted = await calls.post(order)
    await calls.bench.settle()
    facts = [fact for _, fact in await calls.bench.log() if isinstance(fact, TransferPosted)]

    assert (posted.asset, posted.cup_kind, posted.amount) == (CUP, "champions", 1)
    assert await calls.transfers(player) == [posted]
    assert [(fact.asset, fact.cup_kind) for fact in facts] == [(Asset.CUP, "champions")]
    assert await calls.held(player) == {JOKER: 0, CHIP: 0}
    assert [await calls.bench.shown(board) for board in (Board.AMR, Board.WEEKLY, Board.DAILY)] == [[]] * 3
    assert await calls.bench.count("SELECT count(*) FROM balance") == 0


async def test_a_cup_that_is_taken_back_is_taken_back_in_its_kind(calls: LedgerCalls) -> None:
    """The reversal names the kind, in the answer, the list and the log; a repeat answers the same."""
    player = uuid4()
    posted = await calls.post(calls.order(CUP, "house/cups", f"players/{player}", 2, cup_kind="weekly-3"))
    reversal = (await calls.cancel(posted.key)).reversal
    again = (await calls.cancel(posted.key)).reversal
    await calls.bench.settle()
    facts = [fact for _, fact in await calls.bench.log() if isinstance(fact, TransferPosted)]

    assert (reversal.asset, reversal.cup_kind, reversal.amount, reversal.reverses) == (
        CUP,
        "weekly-3",
        2,
        posted.key,
    )
    assert (reversal.debit, reversal.credit) == (posted.credit, posted.debit)
    assert again == reversal
    assert await calls.transfers(player) == [reversal, posted]
    assert [fact.cup_kind for fact in facts] == ["weekly-3", "weekly-3"]


async def test_the_kind_of_a_cup_belongs_to_what_its_key_means(calls: LedgerCalls) -> None:
    """The same key with another kind is KEY_REUSED; with the same kind it is the first transfer."""
    order = calls.order(CUP, "house/cups", f"players/{uuid4()}", 1, cup_kind="arena")
    first = await calls.post(order)
    order.request_id = str(uuid4())
    again = await calls.post(order)
    order.request_id, order.cup_kind = str(uuid4()), "champions"
    other = await refused(calls.post(order))

    assert first == again
    assert (other.code, other.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "KEY_REUSED")


@pytest.mark.parametrize(
    ("asset", "kind"),
    [
        (CUP, ""),
        (CUP, "Champions"),
        (CUP, "-first"),
        (CUP, "a" * 41),
        (CUP, "two words"),
        (JOKER, "arena"),
        (CHIP, "arena"),
        (RATING, "arena"),
        (ledger_pb2.ASSET_POINTS, "arena"),
    ],
)
async def test_cups_alone_have_a_kind_and_each_has_one(calls: LedgerCalls, asset: Any, kind: str) -> None:
    """INVALID_ARGUMENT with the field, and nothing is posted."""
    order = calls.order(asset, "house/cups", f"players/{uuid4()}", 1, cup_kind=kind)
    refusal = await refused(calls.post(order))

    assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "cup_kind")
    assert await calls.bench.count("SELECT count(*) FROM transfer") == 0


async def test_a_rating_is_the_sum_of_what_races_changed_it_by(calls: LedgerCalls) -> None:
    """1,500 to begin with, -12, +7, and the -12 voided: 1,507 on its own board, nothing on the others."""
    player, other = uuid4(), uuid4()
    mine = f"players/{player}"
    await calls.post(calls.order(RATING, "house/rating", mine, 1_500, reason="RATING_START"))
    lost = await calls.post(calls.order(RATING, mine, "house/rating", 12, reason="RACE"))
    await calls.post(calls.order(RATING, "house/rating", mine, 7, reason="RACE"))
    await calls.post(calls.order(RATING, f"players/{other}", "house/rating", 3, reason="RACE"))
    await calls.bench.settle()
    before = (await calls.bench.rows())[RATINGS]
    reversal = (await calls.cancel(lost.key)).reversal
    await calls.bench.settle()
    after = (await calls.bench.rows())[RATINGS]
    await calls.bench.check_tables()

    assert before == {str(player): 1_495, str(other): -3}
    assert after == {str(player): 1_507, str(other): -3}
    assert (reversal.asset, reversal.reason, reversal.reverses) == (RATING, "RACE", lost.key)
    assert await calls.held(player) == {JOKER: 0, CHIP: 0}
    assert await calls.bench.shown(Board.AMR) == []


async def test_ratings_fall_below_zero_without_a_refusal(calls: LedgerCalls) -> None:
    """A rating is a current value, not a purse: taking more than there is is no BALANCE_TOO_LOW."""
    player = uuid4()
    posted = await calls.post(calls.order(RATING, f"players/{player}", "house/rating", 40))

    assert posted.amount == 40
    assert await calls.bench.count("SELECT count(*) FROM balance") == 0
