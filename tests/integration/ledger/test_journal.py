"""The journal on a real PostgreSQL: each key once for ever, balances never below zero."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from uuid import UUID, uuid4

from structlog.testing import capture_logs

from libs.eventstore.port import Request, RequestReused
from services.ledger.assets import Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.journal import Existing, Refusal
from services.ledger.events import TransferPosted
from services.ledger.store.rows import KeptTransfer
from tests.support.ledger_bench import LedgerBench, points_order

SERVICE = uuid4()


def request(body: str = "body", request_id: str | None = None) -> Request:
    """Return a request of one service."""
    return Request(SERVICE, request_id or str(uuid4()), sha256(body.encode()).digest())


def jokers(bench: LedgerBench, account: UUID, amount: int, *, key: str | None = None) -> PostTransfer:
    """Return an order that grants jokers, or spends them when negative."""
    order = points_order(account, amount, bench.clock.now(), key=key, reason="JOKER_GRANT")
    return replace(order, asset=Asset.JOKER)


async def test_64_reports_of_one_result_post_one_transfer_and_get_it_back(bench: LedgerBench) -> None:
    """Scenario E26 and E28: one credit, 64 identical answers, none of them an error."""
    order = points_order(uuid4(), 20, bench.clock.now())

    answers = await asyncio.gather(
        *(bench.journal.post_command(order, now=bench.clock.now(), request=request()) for _ in range(64))
    )

    assert {type(answer) for answer in answers} == {KeptTransfer}
    assert len(set(answers)) == 1
    assert await bench.count("SELECT count(*) FROM transfer") == 1
    assert await bench.count("SELECT count(*) FROM event") == 1


async def test_same_request_at_once_posts_once(bench: LedgerBench) -> None:
    """32 copies of one request get the same transfer; the same id with another body is refused."""
    order, same = points_order(uuid4(), 20, bench.clock.now()), request()

    answers = await asyncio.gather(
        *(bench.journal.post_command(order, now=bench.clock.now(), request=same) for _ in range(32))
    )
    other = replace(same, sha256=bytes(32))
    reused = await bench.journal.post_command(order, now=bench.clock.now(), request=other)

    assert len(set(answers)) == 1
    assert reused == RequestReused()
    assert await bench.count("SELECT count(*) FROM event") == 1


async def test_a_key_with_other_contents_is_refused_and_changes_nothing(bench: LedgerBench) -> None:
    """Amount, sides, asset, reason and instant are contents; the first transfer stands."""
    order = points_order(uuid4(), 20, bench.clock.now(), key="match/1/quick/a")
    await bench.post(order)
    later = order.occurred_at - timedelta(seconds=1)
    changed = [
        replace(order, amount=21),
        replace(order, credit=player_account(uuid4())),
        replace(order, asset=Asset.CHIP),
        replace(order, reason="ARENA"),
        replace(order, occurred_at=later),
    ]

    for other in changed:
        assert await bench.post(other) == (Refusal.KEY_REUSED,)
    assert isinstance((await bench.post(replace(order, cause="elsewhere")))[0], Existing)
    assert await bench.count("SELECT count(*) FROM transfer") == 1


async def test_an_operator_sees_a_key_that_came_with_other_contents(bench: LedgerBench) -> None:
    """Of a command as of a fact: a line of the log, and of a command a row beside the parked facts, once."""
    order = points_order(uuid4(), 20, bench.clock.now(), key="match/1/quick/a")
    await bench.post(order)
    other = replace(order, amount=21)
    with capture_logs() as lines:
        await bench.post(other)
        told = [
            await bench.journal.post_command(other, now=bench.clock.now(), request=request())
            for _ in range(3)
        ]
    words = await bench.database.pool.fetch("SELECT consumer, type, reason FROM parked")

    assert told == [Refusal.KEY_REUSED] * 3
    said = [line for line in lines if line["event"] == "ledger.key_reused"]
    assert [(line["log_level"], line["order_reason"]) for line in said] == [("error", "QUICK_MATCH")] * 4
    assert [(row["consumer"], row["type"]) for row in words] == [("order match/1/quick/a", "PostTransfer")]
    assert words[0]["reason"] == f"KEY_REUSED: QUICK_MATCH, 21 POINTS from house/points to {order.credit}"


async def test_an_instant_out_of_range_is_refused(bench: LedgerBench) -> None:
    """24 h back and 2 s ahead of the owner's own record are accepted; a microsecond more is not."""
    now = bench.clock.now()
    microsecond = timedelta(microseconds=1)
    for offset, accepted in (
        (-timedelta(hours=24), True),
        (-timedelta(hours=24) - microsecond, False),
        (timedelta(seconds=2), True),
        (timedelta(seconds=2) + microsecond, False),
    ):
        order = replace(points_order(uuid4(), 5, now + offset), recorded_at=now)
        (outcome,) = await bench.post(order)
        assert isinstance(outcome, TransferPosted) is accepted
        assert accepted or outcome is Refusal.OCCURRED_OUT_OF_RANGE


async def test_concurrent_spends_never_go_below_zero(bench: LedgerBench) -> None:
    """Of 40 spends of one joker on a balance of 7, seven succeed, whichever they are."""
    account = uuid4()
    await bench.post(jokers(bench, account, 7))

    answers = await asyncio.gather(
        *(
            bench.journal.post_command(jokers(bench, account, -1), now=bench.clock.now(), request=request())
            for _ in range(40)
        )
    )

    assert sum(isinstance(answer, KeptTransfer) for answer in answers) == 7
    assert answers.count(Refusal.BALANCE_TOO_LOW) == 33
    assert await bench.count("SELECT amount FROM balance") == 0


async def test_batches_that_share_accounts_and_keys_do_not_deadlock(bench: LedgerBench) -> None:
    """Twelve batches over the same eight players, in opposite orders: every key is posted once."""
    accounts = [uuid4() for _ in range(8)]
    orders = [jokers(bench, account, 1, key=f"grant/{n}/{account}") for account in accounts for n in range(5)]
    batches = [orders, orders[::-1]] * 6

    await asyncio.gather(*(bench.post(*batch) for batch in batches))

    assert await bench.count("SELECT count(*) FROM transfer") == len(orders)
    assert await bench.count("SELECT min(amount) FROM balance") == 5
    assert await bench.count("SELECT max(amount) FROM balance") == 5


async def test_a_batch_judges_each_order_on_what_the_ones_before_it_left(bench: LedgerBench) -> None:
    """Grant 2, spend 1, spend 1, spend 1: the last one is refused, the others stand."""
    account = uuid4()
    orders = [jokers(bench, account, amount) for amount in (2, -1, -1, -1)]

    outcomes = await bench.post(*orders)

    assert [isinstance(outcome, TransferPosted) for outcome in outcomes] == [True, True, True, False]
    assert outcomes[3] is Refusal.BALANCE_TOO_LOW
    assert await bench.count("SELECT amount FROM balance") == 0


async def test_a_refused_command_leaves_no_trace(bench: LedgerBench) -> None:
    """No balance row, no event, no remembered reply: the same request may succeed later."""
    account, same = uuid4(), request()
    order = jokers(bench, account, -1, key="joker/1")

    assert (
        await bench.journal.post_command(order, now=bench.clock.now(), request=same)
        is Refusal.BALANCE_TOO_LOW
    )
    assert await bench.count("SELECT count(*) FROM balance") == 0
    await bench.post(jokers(bench, account, 1))
    answer = await bench.journal.post_command(order, now=bench.clock.now(), request=same)

    assert isinstance(answer, KeptTransfer)


async def test_transfers_of_a_player_are_listed_newest_first_without_gaps(bench: LedgerBench) -> None:
    """Pages of 3 over 10 transfers, given and taken, show each once in falling order."""
    account = uuid4()
    for number in range(10):
        await bench.post(jokers(bench, account, 1 if number < 6 else -1, key=f"joker/{number}"))
    await bench.post(jokers(bench, uuid4(), 1))

    seen: list[str] = []
    below = 1 << 62
    while page := await bench.journal.page(player_account(account), below=below, limit=3):
        seen.extend(kept.transfer.key for _, kept in page)
        below = page[-1][0]

    assert seen == [f"joker/{number}" for number in reversed(range(10))]
