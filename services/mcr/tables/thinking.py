"""What AI players do: work that takes longer than the event loop may, done from its arguments alone.

A player who raises, or chooses what the rules do not accept, plays what the rules would when time is up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import perf_counter
from typing import Final, Protocol, TypeVar
from uuid import UUID

from services.mcr.domain.deal.actions import Action, Discard, Pass
from services.mcr.domain.deal.commands import Act, ByAi
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.evolve import evolve
from services.mcr.domain.deal.failing import Failed, decide_or_end
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.state import Dealt, DiscardWindow, NotDealt, RobbingWindow
from services.mcr.domain.deal.terms import STAND_IN, Ai, AiLevel
from services.mcr.domain.deal.view import DealView, view_for
from services.mcr.domain.players import choose
from services.mcr.tables.waking import ai_to_act

T = TypeVar("T")
STRETCH: Final = timedelta(seconds=0.1)
"""After so long a deal of AI players alone lets others have their turn; a claim of its timer lasts 2 s."""
LATE: Final = timedelta(seconds=2)
"""A deal that comes so late to its turn takes half of that, one twice so late a third, and so on."""


class Runs(Protocol):
    """Work off the event loop."""

    async def __call__(self, work: Callable[..., T], /, *arguments: object) -> T:
        """Return what `work` returns."""
        ...


@dataclass(frozen=True, slots=True)
class Thought:
    """An action, and what it took."""

    action: Action
    level: AiLevel
    seconds: float
    fault: str | None = None
    """The kind of error of a player who raised, or chose what is not open; `action` stands in for it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Several actions of a deal, one after the other."""

    events: list[Event]
    thoughts: list[Thought]


def level_of(deal: Dealt, seat: int) -> AiLevel:
    """How strong the AI is that plays a seat: its own level, or that of a stand-in."""
    occupant = deal.table.terms.occupants[seat]
    return occupant.level if isinstance(occupant, Ai) else STAND_IN


def seed_of(deal_id: UUID, seat: int) -> bytes:
    """What decides where an AI player is undecided: the same in every process, and nothing of the wall."""
    return hashlib.sha256(b"mcr ai" + deal_id.bytes + seat.to_bytes()).digest()


def think(level: AiLevel, seed: bytes, view: DealView) -> Thought:
    """What an AI player does at the open decision of its view."""
    assert view.open is not None, "the seat can act"
    began = perf_counter()
    try:
        action = choose(level, seed, view)
        fault = None if action in view.open.actions else "IllegalAction"
    except Exception as error:  # noqa: BLE001 whatever a fault of a player is, the deal goes on
        action, fault = at_time(view), type(error).__name__
    seconds = perf_counter() - began
    return Thought(action if fault is None else at_time(view), level, seconds, fault)


def at_time(view: DealView) -> Action:
    """What the rules would do for the viewer when time is up."""
    assert view.open is not None, "the seat can act"
    if Pass() in view.open.actions:
        return Pass()
    discards = [each for each in view.open.actions if isinstance(each, Discard)]
    drawn = None if view.drawn is None else Discard(view.drawn)
    return drawn if drawn in discards and drawn is not None else discards[-1]


def play_on(deal_id: UUID, deal: Dealt, at: datetime, late: timedelta, actions: int) -> Stretch:
    """About so many actions of a deal that AI players play alone, which comes so late to its turn.

    Fewer where it ends before, or they take long: the more deals wait, the sooner the next one has its turn.
    What is offered is claimed or not before that: a claim has less time than a turn.
    """
    events: list[Event] = []
    thoughts: list[Thought] = []
    began, enough_s = perf_counter(), STRETCH.total_seconds() / (1 + late / LATE)
    while seats := ai_to_act(deal):
        is_enough = len(thoughts) >= actions or perf_counter() - began > enough_s
        if thoughts and is_enough and not isinstance(deal, DiscardWindow | RobbingWindow):
            break
        seat = seats[0]
        view = view_for(deal, seat)
        thought = think(level_of(deal, seat), seed_of(deal_id, seat), view)
        thoughts.append(thought)
        decided = decide_or_end(Act(ByAi(seat), thought.action, view.decision, at), deal, rule_book)
        facts = decided.events if isinstance(decided, Failed) else decided
        assert isinstance(facts, list), "what is open is accepted"
        for fact in facts:
            events.append(fact)
            after = evolve(deal, fact)
            assert not isinstance(after, NotDealt), "it was dealt"
            deal = after
    return Stretch(events, thoughts)
