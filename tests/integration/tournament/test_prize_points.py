"""What a player received as tournament prizes in a week, as the ledger tells it."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from services.ledger.wire.messages import timestamp
from services.tournament.domain.calendar.weeks import week_of
from services.tournament.wire.prize_points import PrizePointsLedger
from tests.support.ledger_calls import LedgerCalls, ledger_calls

WEEK = timedelta(days=7)


async def paid(calls: LedgerCalls, player: UUID, points: int, reason: str, ago: timedelta) -> str:
    """Points for a player; return their key."""
    at = calls.edge.clock.now() - ago
    order = calls.order(
        ledger_pb2.ASSET_POINTS,
        "house/points",
        f"players/{player}",
        points,
        reason=reason,
        occurred_time=timestamp(at),
    )
    await calls.post(order)
    return order.key


async def test_prizes_of_the_week_count_and_nothing_else(database_url: str) -> None:
    """Not other points, not those of last week, not what was taken back; any number of pages."""
    async with ledger_calls(database_url) as calls:
        player, now = uuid4(), calls.edge.clock.now()
        await calls.bench.settle()
        ledger = PrizePointsLedger(calls.edge.runtime.clients.channel("ledger"))
        assert await ledger.of(player, week_of(now)) == 0

        await paid(calls, player, 150, "TOURNAMENT_PRIZE", timedelta())
        await paid(calls, player, 60, "TOURNAMENT_PRIZE", timedelta(hours=1))
        await paid(calls, player, 900, "QUICK_MATCH", timedelta())
        await paid(calls, player, 7, "TOURNAMENT_PRIZE", timedelta(hours=20))
        await paid(calls, uuid4(), 500, "TOURNAMENT_PRIZE", timedelta())
        taken_back = await paid(calls, player, 1_000, "TOURNAMENT_PRIZE", timedelta())
        await calls.cancel(taken_back)
        for _ in range(250):
            await paid(calls, player, 1, "QUICK_MATCH", timedelta())
        await calls.bench.settle()

        assert await ledger.of(player, week_of(now)) == 210
        assert await ledger.of(player, week_of(now - WEEK)) == 7
