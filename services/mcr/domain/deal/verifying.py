"""A deal worked out anew from its facts: the wall from its seed, every fact from the rules."""

from __future__ import annotations

from collections.abc import Sequence

from libs.rules.mcr.commitment import wall_commitment
from libs.rules.mcr.wall import WALL_VERSION, first_dealer_of, wall_of
from services.mcr.domain.deal.actions import Action, AddedKong, ConcealedKong, Discard, Win
from services.mcr.domain.deal.commands import Act, Actor, ByAccount, ByAi, Command, Leave, Return
from services.mcr.domain.deal.decide import abort, decide
from services.mcr.domain.deal.drawing import begun
from services.mcr.domain.deal.events import (
    ClaimAnswered,
    ClockPaused,
    DealDealt,
    DealEnded,
    Event,
    KongAdded,
    KongDeclared,
    SeatLeft,
    SeatReturned,
    TileDiscarded,
)
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.scoring import Scorer
from services.mcr.domain.deal.settle import settle
from services.mcr.domain.deal.state import Dealt, Ended, NotDealt, State
from services.mcr.domain.deal.terms import Aborted, Person, Wall


def differences(events: Sequence[Event], scorer: Scorer) -> list[str]:
    """What in the facts of a deal is not what the rules make of it; empty where all is.

    The first fact that differs is named, and nothing after it is looked at. Of a deal that goes on, what
    there is so far is held to the rules.
    """
    if not events or not isinstance(events[0], DealDealt):
        return ["fact 1: no deal begins here"]
    return wall_differences(events[0].wall, events[0].terms.number) or play_differences(events, scorer)


def play_differences(events: Sequence[Event], scorer: Scorer) -> list[str]:
    """The same, with the wall taken as it is told."""
    dealt = events[0]
    assert isinstance(dealt, DealDealt), "a deal begins with its dealing"
    state: State = initial()
    expected = begun(dealt.terms, dealt.wall, dealt.occurred_at)
    at = 0
    while at < len(events):
        told = events[at : at + len(expected)]
        for number, (fact, right) in enumerate(zip(told, expected, strict=False), at + 1):
            if fact != right:
                return [f"fact {number}: {type(fact).__name__} where the rules say {type(right).__name__}"]
            state = evolve(state, fact)
        at += len(told)
        if at < len(events):
            expected = _next_facts(state, events[at], scorer)
            if not expected:
                return [f"fact {at + 1}: {type(events[at]).__name__} is nothing that the rules allow here"]
    return []


def wall_differences(wall: Wall, number: int) -> list[str]:
    """What is wrong with a wall: its order, its hash, who deals the first deal."""
    found = []
    if wall.tiles != wall_of(wall.seed):
        found.append("fact 1: the wall is not that of its seed")
    if wall.commitment != wall_commitment(wall.nonce, wall.seed, WALL_VERSION):
        found.append("fact 1: the commitment is not the hash of nonce and seed")
    if number == 1 and wall.dealer != first_dealer_of(wall.seed):
        found.append("fact 1: the dealer is not the one whom the seed chooses")
    return found


def _next_facts(state: State, fact: Event, scorer: Scorer) -> list[Event]:
    """What the rules say comes next, given the next fact as it is told; nothing where it cannot come."""
    if isinstance(state, NotDealt | Ended):
        return []
    if isinstance(fact, ClockPaused):
        is_sound = state.table.paused_until <= fact.since < fact.until <= fact.occurred_at
        return [fact] if is_sound else []
    due = settle(state, fact.occurred_at, scorer)
    if due:
        return due
    if isinstance(fact, DealEnded) and isinstance(fact.outcome, Aborted):
        return abort(state, fact.outcome.fault, fact.occurred_at)
    command = _command(state, fact)
    decided = None if command is None else decide(command, state, scorer)
    return decided if isinstance(decided, list) else []


def _command(state: Dealt, fact: Event) -> Command | None:
    """The order that a fact begins with; None where no order does."""
    match fact:
        case SeatLeft(seat=seat, reason=reason):
            occupant = state.table.terms.occupants[seat]
            return (
                Leave(occupant.account_id, reason, fact.occurred_at) if isinstance(occupant, Person) else None
            )
        case SeatReturned(seat=seat):
            occupant = state.table.terms.occupants[seat]
            return Return(occupant.account_id, fact.occurred_at) if isinstance(occupant, Person) else None
        case TileDiscarded(seat=seat, tile=tile):
            return _act(state, seat, Discard(tile), fact)
        case ClaimAnswered(seat=seat, answer=answer):
            return _act(state, seat, answer, fact)
        case KongDeclared(seat=seat, tiles=tiles):
            return _act(state, seat, ConcealedKong(tiles), fact)
        case KongAdded(seat=seat, tile=tile):
            return _act(state, seat, AddedKong(tile), fact)
        case DealEnded():
            return _act(state, getattr(state, "seat", 0), Win(), fact)
        case _:
            return None


def _act(state: Dealt, seat: int, action: Action, fact: Event) -> Act:
    return Act(_actor(state, seat), action, state.table.decision, fact.occurred_at)


def _actor(state: Dealt, seat: int) -> Actor:
    """Whoever acts for a seat as it is."""
    occupant = state.table.terms.occupants[seat]
    if isinstance(occupant, Person) and not state.table.is_played_by_ai(seat):
        return ByAccount(occupant.account_id)
    return ByAi(seat)
