"""Deals that have ended, told again: as a seat saw them then, or with everything face up."""

from __future__ import annotations

import pytest

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.events import ClaimAnswered, Event
from services.mcr.domain.deal.happenings import What
from services.mcr.domain.history import steps
from tests.support.mcr_deals import FOUR_PERSONS
from tests.support.mcr_tables import played_table


@pytest.fixture(scope="module")
def deal() -> list[Event]:
    """A deal of four persons."""
    (events,) = played_table(FOUR_PERSONS, seed=3).deals.values()
    return events


def test_a_seat_is_told_what_it_was_told_then(deal: list[Event]) -> None:
    """Own draws and answers, no others'; hands of others stay hidden until the end."""
    told = list(steps(deal, 2, is_open=False))

    answered = [each.happening for each in told if each.happening.what is What.ANSWERED]
    drawn = [each.happening for each in told if each.happening.what is What.DREW]
    assert {each.seat for each in answered} <= {2}
    assert {each.seat for each in drawn if each.tile is not None} == {2}
    for step in told[:-2]:
        assert [seat.hand is not None for seat in step.view.seats] == [seat == 2 for seat in range(SEATS)]
    assert all(seat.hand is not None for seat in told[-1].view.seats)


def test_openly_everything_is_told(deal: list[Event]) -> None:
    """A step for each fact, every hand, every draw and every answer, whoever looks."""
    told = list(steps(deal, 2, is_open=True))

    assert len(told) == len(deal)
    assert all(seat.hand is not None for step in told for seat in step.view.seats)
    drawn = [each.happening for each in told if each.happening.what is What.DREW]
    assert all(each.tile is not None for each in drawn)
    answers = [each.happening for each in told if each.happening.what is What.ANSWERED]
    assert len(answers) == sum(isinstance(event, ClaimAnswered) for event in deal)
    assert {each.seat for each in answers} == set(range(SEATS))


def test_all_tiles_lie_open_only_where_that_is_asked_for(deal: list[Event]) -> None:
    """The views of then are those that the table showed, decision by decision."""
    openly, then = list(steps(deal, 0, is_open=True)), list(steps(deal, 0, is_open=False))

    assert [step.view.decision for step in openly][-1] == [step.view.decision for step in then][-1]
    assert openly[-1].view == then[-1].view
