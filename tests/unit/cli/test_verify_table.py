"""`sparrow verify` on MCR tables: one as it was played is right, and whatever is changed is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.verify.differing import Numbered
from libs.cli.verify.table import PointsMoved, by_definition, transfers_due, verify_table
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal import events as deal_ev
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import Ai, By, Drawn, DrawReason, FanCount, Person, WinScore, Won
from services.mcr.domain.deal.verifying import differences
from services.mcr.domain.session import events as ev
from services.mcr.domain.session.terms import Closing
from tests.support.mcr_deals import FOUR_PERSONS, PLAYERS
from tests.support.mcr_tables import PlayedTable, played_table

TWO_PERSONS = (Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]), Ai())
DEALS = 3


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Three deals of two persons and two AI players, at least two of them won."""
    played = played_table(TWO_PERSONS, DEALS)
    assert sum(isinstance(row.outcome, Won) for row in rows(played)) >= 2
    return played


def rows(table: PlayedTable) -> list[Any]:
    """What the deals came to."""
    return [fact.row for fact in table.facts if isinstance(fact, ev.DealFinished)]


@dataclass
class Kept:
    """Everything that a table left behind, to be damaged."""

    facts: list[ev.Event]
    deals: dict[UUID, list[deal_ev.Event]]
    moved: list[PointsMoved]

    def wrong(self) -> set[str]:
        """What differs."""
        deals: dict[UUID, Numbered] = {
            deal_id: list(enumerate(events, 1)) for deal_id, events in self.deals.items()
        }
        found = verify_table(list(enumerate(self.facts, 1)), deals, self.moved)
        return {finding.what for finding in found if not finding.ok}

    @property
    def first_won(self) -> tuple[int, list[deal_ev.Event]]:
        """The number and the facts of the first deal that was won."""
        return next((number, events) for number, events in enumerate(self.deals.values(), 1) if _won(events))


def _won(events: list[deal_ev.Event]) -> bool:
    return any(isinstance(event, deal_ev.DealEnded) and isinstance(event.outcome, Won) for event in events)


def kept(table: PlayedTable) -> Kept:
    """A copy of a table and of what it moved."""
    due = transfers_due(table.terms, rows(table))
    return Kept(list(table.facts), {key: list(events) for key, events in table.deals.items()}, due)


def place(events: list[Any], kind: type[Any], number: int = 0) -> int:
    """Where the fact of a kind stands."""
    return [at for at, event in enumerate(events) if isinstance(event, kind)][number]


def test_a_table_as_it_was_played_is_right(table: PlayedTable) -> None:
    """Every deal, the totals, the points; with four persons, with one, with none, and a private one too."""
    assert kept(table).wrong() == set()
    assert len(kept(table).moved) >= 2
    for occupants in (FOUR_PERSONS, (Ai(), Person(PLAYERS[3]), Ai(), Ai()), (Ai(),) * 4):
        assert kept(played_table(occupants, seed=7)).wrong() == set()
    private = kept(played_table(FOUR_PERSONS, private=True, seed=8))
    assert private.wrong() == set()
    assert private.moved == []


def test_hands_are_scored_by_the_definition_and_give_what_the_kernel_gave(table: PlayedTable) -> None:
    """Fans, their order and all: both scorers give the same facts."""
    for events in table.deals.values():
        assert differences(events, rule_book) == differences(events, by_definition) == []


def other_wall(it: Kept) -> set[str]:
    """Two tiles of the wall changed their places."""
    number, events = it.first_won
    dealt = events[0]
    assert isinstance(dealt, deal_ev.DealDealt)
    tiles = (*dealt.wall.tiles[1::-1], *dealt.wall.tiles[2:])
    events[0] = replace(dealt, wall=replace(dealt.wall, tiles=tiles))
    return {f"deal {number}"}


def other_commitment(it: Kept) -> set[str]:
    """The hash is another one."""
    number, events = it.first_won
    dealt = events[0]
    assert isinstance(dealt, deal_ev.DealDealt)
    events[0] = replace(dealt, wall=replace(dealt.wall, commitment=bytes(32)))
    return {f"deal {number}"}


def other_reveal(it: Kept) -> set[str]:
    """Another seed was laid open than was dealt from."""
    number, events = it.first_won
    revealed = events[-1]
    assert isinstance(revealed, deal_ev.WallRevealed)
    events[-1] = replace(revealed, seed=bytes(32))
    return {f"deal {number}"}


def other_discard(it: Kept) -> set[str]:
    """A tile was discarded that the seat did not hold."""
    number, events = it.first_won
    at = place(events, deal_ev.TileDiscarded, 3)
    discarded = events[at]
    assert isinstance(discarded, deal_ev.TileDiscarded)
    events[at] = replace(discarded, tile=TileId((discarded.tile + 1) % 136))
    return {f"deal {number}"}


def other_draw(it: Kept) -> set[str]:
    """A tile was drawn that did not lie next."""
    number, events = it.first_won
    at = place(events, deal_ev.TileDrawn, 2)
    drawn = events[at]
    assert isinstance(drawn, deal_ev.TileDrawn)
    events[at] = replace(drawn, tile=TileId((drawn.tile + 1) % 136))
    return {f"deal {number}"}


def by_somebody_else(it: Kept) -> set[str]:
    """A discard of a seat is told as the clock's."""
    number, events = it.first_won
    at = place(events, deal_ev.TileDiscarded)
    discarded = events[at]
    assert isinstance(discarded, deal_ev.TileDiscarded)
    events[at] = replace(discarded, by=By.TIME)
    return {f"deal {number}"}


def gone_fact(it: Kept) -> set[str]:
    """A fact of a deal is gone."""
    number, events = it.first_won
    del events[place(events, deal_ev.TileDrawn, 4)]
    return {f"deal {number}"}


def gone_end(it: Kept) -> set[str]:
    """A deal has no end."""
    number, events = it.first_won
    del events[-2:]
    return {f"deal {number}", "totals"}


def higher_score(it: Kept) -> set[str]:
    """A win counts a fan more than it does, and is paid for it, everywhere alike."""
    number, events = it.first_won
    ended = events[-2]
    assert isinstance(ended, deal_ev.DealEnded)
    won = ended.outcome
    assert isinstance(won, Won)
    score = WinScore((*won.score.fans, FanCount(1, 1, 88)), won.score.points + 88, won.score.flowers)
    claimed = replace(won, score=score)
    events[-2] = replace(ended, outcome=claimed)
    at = place(it.facts, ev.DealFinished, number - 1)
    finished = it.facts[at]
    assert isinstance(finished, ev.DealFinished)
    it.facts[at] = replace(finished, row=replace(finished.row, outcome=claimed))
    return {f"deal {number}"}


def other_payments(it: Kept) -> set[str]:
    """The table tells other payments than the deal ended with."""
    number, _events = it.first_won
    at = place(it.facts, ev.DealFinished, number - 1)
    finished = it.facts[at]
    assert isinstance(finished, ev.DealFinished)
    won = finished.row.outcome
    assert isinstance(won, Won)
    outcome = replace(won, payments=tuple(reversed(won.payments)))
    it.facts[at] = replace(finished, row=replace(finished.row, outcome=outcome))
    return {"totals", "points"}


def told_as_drawn(it: Kept) -> set[str]:
    """The table tells a won deal as drawn."""
    number, _events = it.first_won
    at = place(it.facts, ev.DealFinished, number - 1)
    finished = it.facts[at]
    assert isinstance(finished, ev.DealFinished)
    it.facts[at] = replace(finished, row=replace(finished.row, outcome=Drawn(DrawReason.WALL)))
    return {"totals", "points"}


def other_totals(it: Kept) -> set[str]:
    """A sum is not the sum."""
    at = place(it.facts, ev.DealFinished, 1)
    finished = it.facts[at]
    assert isinstance(finished, ev.DealFinished)
    it.facts[at] = replace(finished, totals=(*finished.totals[:3], finished.totals[3] + 1))
    return {"totals"}


def other_accounts(it: Kept) -> set[str]:
    """A deal's points are told as somebody else's."""
    at = place(it.facts, ev.DealFinished)
    finished = it.facts[at]
    assert isinstance(finished, ev.DealFinished)
    it.facts[at] = replace(finished, accounts=finished.accounts[::-1])
    return {"totals"}


def other_dealer(it: Kept) -> set[str]:
    """The dealer did not move on."""
    at = place(it.facts, ev.DealStarted, 1)
    started = it.facts[at]
    assert isinstance(started, ev.DealStarted)
    it.facts[at] = replace(started, dealer=(started.dealer + 1) % 4)
    return {"deal 2"}


def closed_early(it: Kept) -> set[str]:
    """It is told as abandoned though all deals were played."""
    closed = it.facts[-1]
    assert isinstance(closed, ev.TableClosed)
    it.facts[-1] = replace(closed, reason=Closing.ABANDONED)
    return {"table"}


def earlier_instant(it: Kept) -> set[str]:
    """A fact of the table happened before the one ahead of it."""
    closed = it.facts[-1]
    assert isinstance(closed, ev.TableClosed)
    it.facts[-1] = replace(closed, occurred_at=closed.occurred_at - timedelta(hours=9))
    return {"events"}


def deal_of_others(it: Kept) -> set[str]:
    """The deal of another table stands for one of its own."""
    other = played_table(FOUR_PERSONS, seed=9)
    first = next(iter(it.deals))
    it.deals[first] = next(iter(other.deals.values()))
    return {"deal 1", "totals"}


def missing_deal(it: Kept) -> set[str]:
    """A deal left no events at all."""
    del it.deals[list(it.deals)[1]]
    return {"deal 2", "totals"}


def missing_transfer(it: Kept) -> set[str]:
    """Points were never booked."""
    it.moved = it.moved[1:]
    return {"points"}


def twice_booked(it: Kept) -> set[str]:
    """Points were booked twice."""
    it.moved = [*it.moved, it.moved[0]]
    return {"points"}


def other_board(it: Kept) -> set[str]:
    """Points won of a person count as if won of the AI."""
    it.moved = [replace(it.moved[0], reason="MCR_AI"), *it.moved[1:]]
    return {"points"}


def turned_round(it: Kept) -> set[str]:
    """Who won lost."""
    first = it.moved[0]
    it.moved = [replace(first, debit=first.credit, credit=first.debit), *it.moved[1:]]
    return {"points"}


DAMAGE = (
    *(other_wall, other_commitment, other_reveal, other_discard, other_draw, by_somebody_else, gone_fact),
    *(gone_end, higher_score, other_payments, told_as_drawn, other_totals, other_accounts, other_dealer),
    *(closed_early, earlier_instant, deal_of_others, missing_deal),
    *(missing_transfer, twice_booked, other_board, turned_round),
)


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_each_kind_of_damage_is_found_where_it_is(
    table: PlayedTable, damage: Callable[[Kept], set[str]]
) -> None:
    """And nothing else is blamed."""
    damaged = kept(table)
    expected = damage(damaged)

    assert damaged.wrong() == expected


def test_a_stream_that_opens_no_table_is_none(table: PlayedTable) -> None:
    """Its first fact is gone."""
    damaged = kept(table)
    del damaged.facts[0]

    assert damaged.wrong() == {"events"}
