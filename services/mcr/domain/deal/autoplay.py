"""A deal that four choosers play out, each by its own view alone: for AI players and what measures them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.commands import Act, ByAi
from services.mcr.domain.deal.decide import Unsettled, decide
from services.mcr.domain.deal.drawing import begun
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.legal import seats_to_act
from services.mcr.domain.deal.scoring import Scorer
from services.mcr.domain.deal.settle import settle
from services.mcr.domain.deal.state import Dealt, Ended, NotDealt, State
from services.mcr.domain.deal.terms import DealTerms, Wall
from services.mcr.domain.deal.view import DealView, view_for

Chooser = Callable[[DealView], Action]
"""What a seat does, of all it sees: one of the actions of the view's open decision."""


class IllegalAction(Exception):
    """A chooser did what the deal does not accept."""


def act_of(state: Dealt, seat: int, choose: Chooser, at: datetime) -> Act:
    """The order of an AI seat that can act now."""
    view = view_for(state, seat)
    assert view.open is not None, "the seat can act"
    return Act(ByAi(seat), choose(view), view.decision, at)


def played_out(
    terms: DealTerms, wall: Wall, choosers: Sequence[Chooser], scorer: Scorer, at: datetime
) -> tuple[Ended, list[Event]]:
    """A deal of AI seats from its beginning to its end, in no time. Raises IllegalAction.

    Whoever can answer a window is asked in turn, until no answer that is missing can change it.
    """
    assert len(choosers) == SEATS, "a chooser for each seat"
    events: list[Event] = []
    state: State = initial()

    def take(facts: list[Event]) -> None:
        nonlocal state
        for fact in facts:
            events.append(fact)
            state = evolve(state, fact)

    take(begun(terms, wall, at))
    take(settle(state, at, scorer))
    while not isinstance(state, Ended):
        assert not isinstance(state, NotDealt), "it was dealt"
        seat = seats_to_act(state)[0]
        act = act_of(state, seat, choosers[seat], at)
        decided = decide(act, state, scorer)
        assert not isinstance(decided, Unsettled), "no time passes"
        if not isinstance(decided, list):
            raise IllegalAction(f"seat {seat} of deal {terms.number}: {act.action} is {decided}")
        take(decided)
    return state, events
