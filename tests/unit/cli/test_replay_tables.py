"""`sparrow replay` over MCR tables: run again by the rules, their points held against the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from libs.cli.replay.rerun import Rerun, rerun
from libs.eventsourcing.envelope import Part
from services.mcr.domain.deal import events as deal_ev
from services.mcr.domain.deal.terms import Ai, Person
from tests.support.mcr_deals import PLAYERS, START
from tests.support.mcr_tables import TABLE, PlayedTable, played_table
from tests.support.stored_feeds import Stored, stored_table

TWO_PERSONS = (Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]), Ai())
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Two deals of two persons and two AI players."""
    return played_table(TWO_PERSONS, 2)


async def again(feeds: Stored, table: PlayedTable, *, later: timedelta = 2 * MINUTE) -> Rerun:
    """Everything run again, so long after the table closed."""
    now = table.facts[-1].occurred_at + later
    return await rerun(feeds, None, None, lambda done, of: None, lambda: now)


async def test_a_table_comes_out_as_it_was_stored(table: PlayedTable) -> None:
    """With all its deals and events."""
    found = await again(stored_table(table), table)

    assert (found.tables, found.deals, found.running, found.differences) == (1, 2, 0, [])
    assert found.events == len(table.facts) + sum(map(len, table.deals.values()))


async def test_a_range_holds_what_was_opened_in_it(table: PlayedTable) -> None:
    """From an instant on, and before another; deals go with their table."""
    for since, until, count in (
        (START, START + SECOND, 1),
        (START + SECOND, None, 0),
        (None, START, 0),
    ):
        found = await rerun(stored_table(table), since, until, lambda done, of: None)
        assert (found.tables, found.deals) == (count, 2 * count)


async def test_a_table_that_has_not_closed_is_still_played(table: PlayedTable) -> None:
    """Nor is one whose deal is not there to its end."""
    feeds = stored_table(table)
    feeds.entries["mcr", Part.FACTS] = feeds.entries["mcr", Part.FACTS][:-1]

    found = await again(feeds, table)

    assert (found.tables, found.running) == (0, 1)


async def test_a_table_that_was_opened_before_the_range_is_neither_run_nor_awaited(
    table: PlayedTable,
) -> None:
    """Though deals of it begin and end within."""
    feeds = stored_table(table)
    second = table.facts[3].occurred_at

    found = await rerun(feeds, second, None, lambda done, of: None)

    assert (found.tables, found.running, found.differences) == (0, 0, [])


async def test_what_the_rules_do_not_bring_about_is_named(table: PlayedTable) -> None:
    """The table, the deal and the first fact that differs."""
    damaged = replace(table, deals={key: list(events) for key, events in table.deals.items()})
    events = list(damaged.deals.values())[1]
    at = next(number for number, event in enumerate(events) if isinstance(event, deal_ev.TileDiscarded))
    discarded = events[at]
    assert isinstance(discarded, deal_ev.TileDiscarded)
    events[at] = replace(discarded, may_win=(0, 1, 2, 3))

    found = await again(stored_table(damaged), table)

    (name, said), *more = found.differences
    assert (name, more) == (f"tables/{TABLE}", [])
    assert said.startswith(f"deal 2: fact {at + 1}")


async def test_points_that_were_not_booked_are_named_once_they_must_be(table: PlayedTable) -> None:
    """Not within the first minute."""
    feeds = stored_table(table)
    feeds.entries["ledger", Part.FACTS].pop()

    soon, later = await again(feeds, table, later=SECOND), await again(feeds, table)

    assert soon.differences == []
    ((name, said),) = later.differences
    assert name == f"tables/{TABLE}"
    assert said.startswith("ledger: ")
