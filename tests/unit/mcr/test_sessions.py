"""Tables of one to sixteen deals: dealers, winds, rows and totals, and why a table closes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest

from libs.rules.mcr.payment import payments
from libs.rules.mcr.tiles import NOTATION
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.terms import (
    Aborted,
    Ai,
    Drawn,
    DrawReason,
    Outcome,
    Person,
    WinKind,
    WinScore,
    Won,
)
from services.mcr.domain.session.commands import Command, FinishDeal, OpenTable, StartDeal
from services.mcr.domain.session.decide import Refusal, decide, next_deal
from services.mcr.domain.session.events import DealFinished, Event, TableClosed
from services.mcr.domain.session.evolve import evolve, initial
from services.mcr.domain.session.state import Between, Closed, NotOpened, Playing, State, Table
from services.mcr.domain.session.terms import Closing, TableTerms
from tests.support.mcr_deals import FOUR_AI, FOUR_PERSONS, PLAYERS, TABLE_ID, after

DRAWN = Drawn(DrawReason.WALL)


def won(winner: int, payer: int | None, points: int) -> Won:
    """A win of so many points."""
    kind = WinKind.SELF_DRAWN if payer is None else WinKind.DISCARD
    score = WinScore((), points, 0)
    return Won(winner, payer, kind, TileId(0), score, payments(points, winner, payer))


@dataclass
class TablePlay:
    """A table under way; deals are numbered by their ids."""

    terms: TableTerms
    first_dealer: int = 2
    state: State = field(default_factory=initial)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.order(OpenTable(self.terms, after(0)))

    def order(self, command: Command) -> list[Event] | Refusal:
        """Carry a command out."""
        decided = decide(command, self.state)
        if isinstance(decided, list):
            self.events += decided
            for event in decided:
                self.state = evolve(self.state, event)
        return decided

    @property
    def table(self) -> Table:
        """What is kept of it."""
        assert not isinstance(self.state, NotOpened)
        return self.state.table

    def deal(self, outcome: Outcome, away: frozenset[int] = frozenset()) -> None:
        """One deal from its beginning to its end."""
        number = self.table.next_number
        dealer = self.table.dealer_of(number)
        deal_id, at = UUID(int=number), after(1_000 * number)
        self.order(StartDeal(deal_id, self.first_dealer if dealer is None else dealer, at))
        self.order(FinishDeal(deal_id, outcome, away, at))


def of(deals: int, occupants: Sequence[Person | Ai] = FOUR_PERSONS) -> TablePlay:
    """A table of so many deals."""
    return TablePlay(TableTerms(TABLE_ID, tuple(occupants), deals))


def accounts_told(play: TablePlay) -> list[tuple[UUID | None, ...]]:
    """Whose points the ends of deals say that payments are."""
    return [event.accounts for event in play.events if isinstance(event, DealFinished)]


def test_one_deal_per_table_by_default() -> None:
    """It closes with its first deal."""
    play = TablePlay(TableTerms(TABLE_ID, FOUR_PERSONS))
    play.deal(won(1, None, 12))

    assert isinstance(play.state, Closed)
    assert play.events[-1] == TableClosed(Closing.PLAYED, (-20, 60, -20, -20), after(1_000))


def test_the_dealer_moves_on_every_deal_and_the_round_wind_after_four() -> None:
    """East for deals 1-4, South 5-8, West 9-12, North 13-16; whoever won."""
    play, dealers, winds = of(16), [], []
    for _ in range(16):
        winds.append(NOTATION[next_deal(play.table).prevalent_wind])
        play.deal(won(2, None, 8))
        dealers.append(play.table.rows[-1].dealer)

    assert dealers == [2, 3, 0, 1] * 4
    assert "".join(winds) == "EEEESSSSWWWWNNNN"
    assert isinstance(play.state, Closed)


def test_rows_add_up_to_totals_that_are_zero_together() -> None:
    """A drawn deal moves nothing."""
    play = of(4)
    for outcome in (won(0, 1, 10), DRAWN, won(3, None, 8)):
        play.deal(outcome)

    assert [row.payments for row in play.table.rows] == [(34, -18, -8, -8), (0, 0, 0, 0), (-16, -16, -16, 48)]
    assert play.table.totals == (18, -34, -24, 40)
    assert isinstance(play.state, Between)


def test_the_end_of_a_deal_says_whose_points_its_payments_are() -> None:
    """By seat; nobody's where the AI sits, and at a private table nobody's at all."""
    two_persons = (Ai(), Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]))
    play = of(1, two_persons)
    play.deal(won(1, None, 12))
    private = TablePlay(TableTerms(TABLE_ID, two_persons, private=True))
    private.deal(won(1, None, 12))

    assert accounts_told(play) == [(None, PLAYERS[0], None, PLAYERS[1])]
    assert accounts_told(private) == [(None, None, None, None)]


def test_a_pause_comes_before_every_deal_but_the_first() -> None:
    """So that the last one can be read."""
    play = of(2)
    assert next_deal(play.table).pause == timedelta()
    play.deal(DRAWN)

    assert next_deal(play.table).pause == timedelta(seconds=10)


def test_who_is_away_stays_away_in_the_next_deal() -> None:
    """Until they return."""
    play = of(2)
    play.deal(DRAWN, frozenset({3}))

    assert next_deal(play.table, frozenset({3})).away == {3}


def test_with_all_persons_away_the_table_closes_after_the_deal() -> None:
    """The AI has played it out; nobody waits for the others."""
    one_person = (Ai(), Person(PLAYERS[0]), Ai(), Ai())
    play = of(16, one_person)
    play.deal(won(0, None, 8), frozenset({1}))

    assert isinstance(play.state, Closed)
    assert play.state.reason is Closing.ABANDONED
    assert play.table.totals == (48, -16, -16, -16)


def test_a_table_of_ai_only_plays_all_its_deals() -> None:
    """Nobody can leave it."""
    play = of(2, FOUR_AI)
    play.deal(DRAWN)
    play.deal(DRAWN)

    assert len(play.table.rows) == 2
    assert isinstance(play.state, Closed)


def test_a_deal_whose_rules_failed_closes_its_table() -> None:
    """It moves no points; what was played before stands."""
    play = of(3)
    play.deal(won(0, None, 8))
    play.deal(Aborted("LookupError"))

    assert isinstance(play.state, Closed)
    assert play.state.reason is Closing.ABORTED
    assert play.table.totals == (48, -16, -16, -16)


def test_what_is_told_twice_counts_once() -> None:
    """A repeat brings no facts, nor does the end of another deal."""
    play = of(2)
    first, other = UUID(int=1), UUID(int=99)
    play.order(StartDeal(first, 0, after(1)))
    assert isinstance(play.state, Playing)

    assert play.order(StartDeal(first, 0, after(2))) == []
    assert play.order(FinishDeal(other, DRAWN, frozenset(), after(3))) == []
    play.order(FinishDeal(first, DRAWN, frozenset(), after(4)))
    assert play.order(FinishDeal(first, DRAWN, frozenset(), after(5))) == []
    assert len(play.table.rows) == 1


@pytest.mark.parametrize(
    "terms",
    [
        TableTerms(TABLE_ID, FOUR_PERSONS, 0),
        TableTerms(TABLE_ID, FOUR_PERSONS, 17),
        TableTerms(TABLE_ID, FOUR_PERSONS[:3]),
        TableTerms(TABLE_ID, (*FOUR_PERSONS[:3], FOUR_PERSONS[0])),
    ],
)
def test_there_are_four_seats_nobody_sits_twice_and_1_to_16_deals_are_played(terms: TableTerms) -> None:
    """Other tables are not opened."""
    assert decide(OpenTable(terms, after(0)), initial()) is Refusal.TERMS_INVALID


def test_a_closed_table_and_one_that_was_never_opened_start_no_deal() -> None:
    """Told by their reasons."""
    play = of(1)
    play.deal(DRAWN)
    start = StartDeal(UUID(int=7), 0, after(9))

    assert play.order(start) is Refusal.MATCH_ENDED
    assert decide(start, initial()) is Refusal.NOT_FOUND


def test_seats_for_people_and_ai_in_any_mix() -> None:
    """The accounts that sit there are known by seat."""
    assert of(1, (Ai(), Person(PLAYERS[2]), Ai(), Person(PLAYERS[0]))).terms.persons == (
        PLAYERS[2],
        PLAYERS[0],
    )
    assert of(1, FOUR_AI).terms.persons == ()
