"""`sparrow verify` finds an MCR table in the feeds, with its deals and what it moved in the ledger."""

from __future__ import annotations

import pytest

from libs.cli.verify.games import NotOver, NotThere, verify_played_table
from libs.cli.verify.recompute import Finding
from libs.eventsourcing.envelope import Part
from libs.eventsourcing.ids import uuid7
from services.mcr.domain.deal.terms import Ai, Person
from services.mcr.wire.table_codec import TableCodec
from tests.support.mcr_deals import PLAYERS, START
from tests.support.mcr_tables import TABLE, PlayedTable, played_table
from tests.support.stored_feeds import Stored, stored_table

TWO_PERSONS = (Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]), Ai())


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Two deals of two persons and two AI players."""
    return played_table(TWO_PERSONS, 2)


async def test_a_table_is_found_with_its_deals_and_transfers(table: PlayedTable) -> None:
    """A finding each for events, table, deals, totals and points; nothing differs."""
    found = await verify_played_table(stored_table(table), TABLE)

    assert isinstance(found, list)
    assert [each.what for each in found] == ["events", "table", "deal 1", "deal 2", "totals", "points"]
    assert [each for each in found if not each.ok] == []


async def test_what_the_ledger_never_booked_is_missed(table: PlayedTable) -> None:
    """Or booked under another key."""
    feeds = stored_table(table)
    feeds.entries["ledger", Part.FACTS].pop()

    found = await verify_played_table(feeds, TABLE)

    assert isinstance(found, list)
    assert [each.what for each in found if isinstance(each, Finding) and not each.ok] == ["points"]


async def test_a_table_that_goes_on_or_never_was_is_told_apart(table: PlayedTable) -> None:
    """Its deals are secret as long as it goes on."""
    going = Stored()
    going.play(TABLE, TableCodec(), table.facts[:-1], "mcr")

    assert isinstance(await verify_played_table(going, TABLE), NotOver)
    assert isinstance(await verify_played_table(going, uuid7(START, bytes(9) + b"x")), NotThere)
    assert isinstance(await verify_played_table(Stored(), TABLE), NotThere)
