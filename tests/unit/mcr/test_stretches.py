"""Deals of AI players alone, played a stretch at a time."""

from __future__ import annotations

from datetime import timedelta

from services.mcr.domain.deal.drawing import begun
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.settle import next_deadline, settle
from services.mcr.domain.deal.state import Dealt, DiscardWindow, Ended, NotDealt, RobbingWindow, State
from services.mcr.domain.deal.terms import DealTerms
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.tables.thinking import Stretch, play_on
from services.mcr.tables.waking import ai_to_act
from tests.support.mcr_deals import FOUR_AI, TABLE_ID, after

IN_TIME = timedelta()
HOURS_LATE = timedelta(hours=3)


def dealt() -> Dealt:
    """A deal at whose first turn somebody is to act."""
    wall = lay_wall(bytes(32), bytes(32), 1, None)
    state: State = initial()
    for event in begun(DealTerms(TABLE_ID, 1, FOUR_AI), wall, after(0)):
        state = evolve(state, event)
    for event in settle(state, after(0), rule_book):
        state = evolve(state, event)
    assert not isinstance(state, NotDealt)
    return state


def stretched(deal: Dealt, stretch: Stretch) -> Dealt:
    """The deal after a stretch."""
    state: State = deal
    for event in stretch.events:
        state = evolve(state, event)
    assert not isinstance(state, NotDealt)
    return state


def test_a_stretch_never_leaves_a_tile_offered_to_players_who_can_claim_it() -> None:
    """A claim has less time than a turn, and the next stretch may come late."""
    deal, claims = dealt(), 0
    while not isinstance(deal, Ended):
        stretch = play_on(TABLE_ID, deal, after(0), HOURS_LATE, 1)
        assert stretch.thoughts
        claims += len(stretch.thoughts) - 1
        deal = stretched(deal, stretch)
        is_offered = isinstance(deal, DiscardWindow | RobbingWindow)
        assert not is_offered or not ai_to_act(deal)
        assert next_deadline(deal) is not None or isinstance(deal, Ended)
    assert claims


def test_short_stretches_play_the_same_deal_as_longer_ones() -> None:
    """How a deal is cut up tells nothing."""
    ends = []
    for late, actions in ((HOURS_LATE, 1), (IN_TIME, 1_000)):
        deal = dealt()
        while not isinstance(deal, Ended):
            deal = stretched(deal, play_on(TABLE_ID, deal, after(0), late, actions))
        ends.append(deal)
    assert ends[0] == ends[1]
