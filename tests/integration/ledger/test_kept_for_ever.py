"""What is posted stays: keys post once for ever, rows never change, sums hold at the edges of 64 bits."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from services.ledger.assets import AMOUNT_MAX, HOUSE_POINTS, Asset, player_account
from services.ledger.domain.boards import DAY_POINTS_MAX
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.journal import Existing
from services.ledger.domain.windows import Board
from services.ledger.events import TransferPosted
from services.ledger.projections.rebuilding.differences import Fault, Faults
from services.ledger.projections.rebuilding.log_check import LogCheck
from services.ledger.projections.rebuilding.quick_check import QuickCheck
from tests.support.edge import refused
from tests.support.ledger_bench import LedgerBench, points_order
from tests.support.ledger_calls import ledger_calls

POINTS, JOKER = ledger_pb2.ASSET_POINTS, ledger_pb2.ASSET_JOKER


async def test_a_key_posts_once_in_400_days_and_over_restarts(database_url: str) -> None:
    """By the same request and by new ones, across servers and clocks: one transfer, always the first."""
    player = uuid4()
    async with ledger_calls(database_url) as calls:
        order = calls.order(POINTS, "house/points", f"players/{player}", 20, key="match/1/quick/x")
        first = await calls.post(order)
    answers = []
    for days in (0, 1, 30, 400):
        async with ledger_calls(database_url) as calls:
            calls.edge.clock.advance(timedelta(days=days))
            answers.append(await calls.post(order))
            order.request_id = str(uuid4())
            answers.extend(await asyncio.gather(*(calls.post(order) for _ in range(8))))
            order.amount, order.request_id = 21, str(uuid4())
            other = await refused(calls.post(order))
            order.amount = 20
            assert other.reason == "KEY_REUSED"
    async with ledger_calls(database_url) as calls:
        kept = await calls.transfers(player)
        events = await calls.bench.count("SELECT count(*) FROM event")

    assert {answer.SerializeToString(deterministic=True) for answer in answers} == {
        first.SerializeToString(deterministic=True)
    }
    assert (len(kept), events) == (1, 1)


async def test_facts_that_come_again_after_400_days_post_nothing(bench: LedgerBench) -> None:
    """A batch repeated long after the transport's window of repeats: the first transfers, and no event."""
    now = bench.clock.now()
    orders = [points_order(uuid4(), 20, now) for _ in range(50)]
    first = await bench.post(*orders)
    bench.clock.advance(timedelta(days=400))
    again = await bench.post(*reversed(orders))

    assert all(isinstance(outcome, TransferPosted) for outcome in first)
    assert again == tuple(
        Existing(outcome) for outcome in reversed(first) if isinstance(outcome, TransferPosted)
    )
    assert await bench.count("SELECT count(*) FROM event") == 50


@pytest.mark.parametrize("table", ["transfer", "event", "feed"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}"])
async def test_the_database_refuses_to_change_what_was_posted(
    bench: LedgerBench, table: str, change: str
) -> None:
    """A transfer, its event and its place in the feed: whoever asks, a correction is a new entry."""
    await bench.post(points_order(uuid4(), 20, bench.clock.now()))
    await bench.settle()
    column = {"transfer": "amount", "event": "version", "feed": "seq"}[table]

    with pytest.raises(asyncpg.PostgresError, match="facts are never changed"):
        await bench.database.pool.execute(change.format(table, column, column))


async def test_a_correction_is_an_entry_of_its_own_that_every_view_shows(database_url: str) -> None:
    """Scenario O7: a voided result is gone from boards and standing, stands twice in the list and the log."""
    player, other = uuid4(), uuid4()
    async with ledger_calls(database_url) as calls:
        order = calls.order(POINTS, "house/points", f"players/{player}", 20, reason="QUICK_MATCH")
        posted = await calls.post(order)
        await calls.post(calls.order(POINTS, "house/points", f"players/{other}", 5, reason="QUICK_MATCH"))
        await calls.bench.settle()
        before = [entry.points for entry in await calls.bench.shown(Board.AMR)]
        reversal = (await calls.cancel(posted.key)).reversal
        await calls.bench.settle()
        boards = {board: await calls.bench.shown(board) for board in (Board.AMR, Board.WEEKLY, Board.DAILY)}
        listed = await calls.transfers(player)
        facts = [fact for _, fact in await calls.bench.log() if isinstance(fact, TransferPosted)]
        await calls.bench.check_tables()

    assert before == [20, 5]
    assert {
        tuple((entry.rank, entry.account, entry.points) for entry in rows) for rows in boards.values()
    } == {((1, str(other), 5),)}
    assert listed == [reversal, posted]
    assert [fact.reverses for fact in facts] == ["", "", posted.key]


async def test_a_year_of_the_fullest_days_is_summed_exactly(bench: LedgerBench) -> None:
    """365 days of 2^53 points, up and down: week and year are right to the point; one more is parked."""
    up, down = uuid4(), uuid4()
    now = bench.clock.now()
    today = ledger_day(now)
    days = [today - timedelta(days=back) for back in range(365)]
    await bench.settle()
    await bench.log_facts(
        *(
            fact
            for day in days
            for fact in (_points(up, DAY_POINTS_MAX, day, now), _points(down, -DAY_POINTS_MAX, day, now))
        ),
        _points(up, 1, today, now),
        _points(down, -1, today, now),
    )
    await bench.settle()
    amr = {entry.account: entry.points for entry in await bench.shown(Board.AMR)}
    week = {entry.account: entry.points for entry in await bench.shown(Board.WEEKLY)}
    days_of_week = today.weekday() + 1
    bench.clock.advance(timedelta(days=1))
    await bench.settle()
    tomorrow = {entry.account: entry.points for entry in await bench.shown(Board.AMR)}

    assert amr == {str(up): 365 * DAY_POINTS_MAX, str(down): -365 * DAY_POINTS_MAX}
    assert week == {str(up): days_of_week * DAY_POINTS_MAX, str(down): -days_of_week * DAY_POINTS_MAX}
    assert tomorrow == {str(up): 364 * DAY_POINTS_MAX, str(down): -364 * DAY_POINTS_MAX}
    assert await bench.count("SELECT count(*) FROM parked") == 2
    await bench.check_tables()


async def test_the_largest_transfers_fill_a_day_to_its_last_whole_one(bench: LedgerBench) -> None:
    """Orders of 10^12 on a day that holds all but one of them: one fits, the next is parked by the boards."""
    account, now = uuid4(), bench.clock.now()
    room = DAY_POINTS_MAX - AMOUNT_MAX
    await bench.settle()
    await bench.log_facts(_points(account, room, ledger_day(now), now))
    outcomes = await bench.post(*(points_order(account, AMOUNT_MAX, now) for _ in range(2)))
    await bench.settle()
    taken = await bench.post(points_order(account, -AMOUNT_MAX, now))
    await bench.settle()

    assert all(isinstance(outcome, TransferPosted) for outcome in (*outcomes, *taken))
    assert [entry.points for entry in await bench.shown(Board.DAILY)] == [room]
    assert await bench.count("SELECT count(*) FROM parked WHERE consumer = 'boards_g2'") == 1
    await bench.check_tables()


async def test_verification_adds_up_beyond_64_bits(bench: LedgerBench) -> None:
    """Rows as no intake makes them, of 2^62 each: what is owed is named exactly; sides cancel out."""
    player = player_account(uuid4())
    await bench.database.pool.execute(
        """
        INSERT INTO transfer (key, asset, debit, credit, amount, reason, occurred_at, day, time_zone_data,
                              posted_at, cause, reverses, cup_kind)
        SELECT 'old/' || asset || n, asset, 'house/any', $1, $2, 'OLD', $3, '2026-03-02', '2026.1', $3,
               '', '', ''
        FROM generate_series(1, 5) AS n, unnest(ARRAY['JOKER', 'POINTS']) AS asset
        """,
        player,
        2**62,
        bench.clock.now(),
    )
    faults = Faults()
    async with bench.database.pool.acquire() as connection:
        quick = QuickCheck(connection, connection)
        await LogCheck(connection, quick, faults, lambda *_: None).check_balances()

    assert faults.named == [
        Fault("balance", account=player, name="JOKER", stored="0", expected=str(5 * 2**62))
    ]


def _points(account: UUID, points: int, day: date, at: datetime) -> TransferPosted:
    sides = (HOUSE_POINTS, player_account(account))
    debit, credit = sides if points > 0 else sides[::-1]
    return TransferPosted(
        f"test/{uuid4()}", Asset.POINTS, debit, credit, abs(points), "ARENA", at, day, "2026.1", ""
    )
