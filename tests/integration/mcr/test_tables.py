"""Tables over gRPC on PostgreSQL: opened, played to their end, their rows and seats with them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2
from tests.support.mcr_hall import OVER, QUICK, TableHall, TablePlayer, tables_served

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables."""
    async with tables_served(database_url, **QUICK) as served:
        yield served


@pytest.fixture
def ana(hall: TableHall) -> TablePlayer:
    """A player."""
    return TablePlayer(hall.edge)


async def test_a_person_plays_a_table_of_two_deals_against_the_ai(hall: TableHall, ana: TablePlayer) -> None:
    """From the opening to the closing."""
    table = await ana.open(2)
    name = table.summary.name
    closed = await hall.play_out(name, ana)
    assert closed.summary.closing == deal_pb2.TABLE_CLOSING_PLAYED
    assert [row.number for row in closed.summary.rows] == [1, 2]
    assert closed.deal.phase == OVER
    assert sum(seat.points for seat in closed.summary.seats) == 0
