"""Deals that four choosers play out."""

from __future__ import annotations

from random import Random

import pytest

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Action, Discard, Pass, Win
from services.mcr.domain.deal.autoplay import Chooser, IllegalAction, played_out
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import DealTerms, Drawn, Won
from services.mcr.domain.deal.view import DealView
from services.mcr.domain.deal.walls import lay_wall
from tests.support.mcr_deals import FOUR_AI, TABLE_ID, after, rigged
from tests.unit.mcr.hands import STRAIGHT, hands


def idle(view: DealView) -> Action:
    """Discard what was drawn, claim nothing but wins."""
    assert view.open is not None
    if Win() in view.open.actions:
        return Win()
    if Pass() in view.open.actions:
        return Pass()
    discards = [action for action in view.open.actions if isinstance(action, Discard)]
    return next((one for one in discards if one.tile == view.drawn), discards[-1])


def at_random(seed: int) -> Chooser:
    """Whatever is legal."""
    rng = Random(seed)

    def choose(view: DealView) -> Action:
        assert view.open is not None
        return rng.choice(view.open.actions)

    return choose


STRAIGHT_WALL = rigged(hands(s1=STRAIGHT), draws="9m 4m")
TERMS = DealTerms(TABLE_ID, 1, FOUR_AI)


def test_a_deal_is_played_out_and_the_same_choosers_play_it_the_same_way() -> None:
    """Facts in no time, that fold to the end."""
    wall = lay_wall(bytes(range(32)), bytes(32))
    first, again = (
        played_out(TERMS, wall, [at_random(seat) for seat in range(SEATS)], rule_book, after(0))
        for _ in range(2)
    )
    state = initial()
    for fact in first[1]:
        state = evolve(state, fact)

    assert first == again
    assert state == first[0]
    assert {fact.occurred_at for fact in first[1]} == {after(0)}


def test_idle_choosers_draw_the_wall_out_or_win_what_falls_to_them() -> None:
    """Both come about."""
    drawn, _ = played_out(TERMS, lay_wall(bytes(32), bytes(32)), [idle] * SEATS, rule_book, after(0))
    won, _ = played_out(TERMS, STRAIGHT_WALL, [idle] * SEATS, rule_book, after(0))

    assert isinstance(drawn.outcome, Drawn)
    assert isinstance(won.outcome, Won)


def test_an_illegal_action_is_told() -> None:
    """With the seat and what it did."""
    with pytest.raises(IllegalAction, match="seat 0"):
        played_out(TERMS, STRAIGHT_WALL, [lambda _: Pass()] * SEATS, rule_book, after(0))
