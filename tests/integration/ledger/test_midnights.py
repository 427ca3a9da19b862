"""What is credited around a midnight of Bucharest stands on the board of its own day and week."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from services.ledger.domain.windows import Board, Sheet, monday
from tests.support.ledger_bench import LedgerBench, ledger_bench, points_order

PLAYER = UUID(int=1)


async def credit(bench: LedgerBench, at: datetime, points: int) -> None:
    """Let the clock stand at an instant, credit points there, and fold."""
    bench.clock.advance(at - bench.clock.now())
    await bench.post(points_order(PLAYER, points, at))
    await bench.settle()


@pytest.mark.parametrize(
    ("midnight", "day"),
    [
        (datetime(2026, 3, 29, 21, tzinfo=UTC), date(2026, 3, 29)),  # a day of 23 hours ends
        (datetime(2026, 10, 25, 22, tzinfo=UTC), date(2026, 10, 25)),  # one of 25
        (datetime(2028, 2, 28, 22, tzinfo=UTC), date(2028, 2, 28)),  # 29 February begins
        (datetime(2028, 2, 29, 22, tzinfo=UTC), date(2028, 2, 29)),
        (datetime(2026, 12, 31, 22, tzinfo=UTC), date(2026, 12, 31)),  # in the midst of week 53
        (datetime(2027, 1, 3, 22, tzinfo=UTC), date(2027, 1, 3)),  # week 53 ends
    ],
)
async def test_a_credit_before_midnight_and_one_at_midnight_stand_on_two_days(
    database_url: str, midnight: datetime, day: date
) -> None:
    """Scenarios O1, E61 and E64: a second before, a microsecond before, at it; each where it belongs."""
    async with ledger_bench(database_url, midnight - timedelta(hours=12)) as bench:
        await bench.settle()
        await credit(bench, midnight - timedelta(seconds=1), 5)
        await credit(bench, midnight - timedelta(microseconds=1), 10)
        before = [entry.points for entry in await bench.shown(Board.WEEKLY)]
        await credit(bench, midnight, 20)
        await bench.check_tables()
        boards = (Board.DAILY, Board.WEEKLY, Board.AMR)
        shown = {board: [entry.points for entry in await bench.shown(board)] for board in boards}
        rows = await bench.rows()
    following = day + timedelta(days=1)

    assert before == [15]
    assert shown[Board.DAILY] == [20]
    assert shown[Board.WEEKLY] == ([20] if following == monday(following) else [35])
    assert shown[Board.AMR] == [35]
    assert rows[Sheet(Board.DAILY, day)] == {str(PLAYER): 15}
    assert rows[Sheet(Board.DAILY, following)] == {str(PLAYER): 20}
