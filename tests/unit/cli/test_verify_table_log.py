"""`sparrow verify` finds an MCR table in the feeds, with its deals and what it moved in the ledger."""

from __future__ import annotations

from uuid import UUID

import pytest

from libs.cli.verify.games import NotOver, NotThere, verify_played_table
from libs.cli.verify.recompute import Finding
from libs.cli.verify.table import transfers_due
from libs.eventsourcing.envelope import Part
from libs.eventsourcing.ids import uuid7
from services.ledger.assets import Asset
from services.ledger.events import TransferPosted
from services.ledger.wire import events as ledger_wire
from services.mcr.domain.deal.terms import Ai, Person
from services.mcr.domain.session.events import DealFinished
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.mcr_deals import PLAYERS, START
from tests.support.mcr_tables import TABLE, PlayedTable, played_table
from tests.support.stored_feeds import Stored

TWO_PERSONS = (Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]), Ai())


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Two deals of two persons and two AI players."""
    return played_table(TWO_PERSONS, 2)


def stored(table: PlayedTable) -> Stored:
    """What services log of a table."""
    feeds = Stored()
    feeds.play(TABLE, TableCodec(), table.facts, "mcr")
    for deal_id, events in table.deals.items():
        feeds.play(deal_id, DealCodec(), events, "mcr")
    for feed in feeds.entries.values():
        feed.sort(key=lambda entry: entry.at)
    rows = [fact.row for fact in table.facts if isinstance(fact, DealFinished)]
    at = table.facts[-1].occurred_at
    for number, each in enumerate(transfers_due(table.terms, rows), 1):
        fact = TransferPosted(
            each.key, Asset.POINTS, each.debit, each.credit, each.points, each.reason, at, at.date(), "", ""
        )
        new = ledger_wire.encode(fact, at)
        feeds.add("ledger", UUID(int=number), 1, (new.part, new.type, new.schema_version, new.data), at)
    return feeds


async def test_a_table_is_found_with_its_deals_and_transfers(table: PlayedTable) -> None:
    """A finding each for events, table, deals, totals and points; nothing differs."""
    found = await verify_played_table(stored(table), TABLE)

    assert isinstance(found, list)
    assert [each.what for each in found] == ["events", "table", "deal 1", "deal 2", "totals", "points"]
    assert [each for each in found if not each.ok] == []


async def test_what_the_ledger_never_booked_is_missed(table: PlayedTable) -> None:
    """Or booked under another key."""
    feeds = stored(table)
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
