"""What deadlines decide: everything that is due at an instant, in the order of the deadlines."""

from __future__ import annotations

from datetime import datetime

from services.tournament.domain.tournament.clocks import due
from services.tournament.domain.tournament.events import (
    Event,
    RegistrationOpened,
    TournamentCancelled,
    TournamentStarted,
)
from services.tournament.domain.tournament.evolve import evolve
from services.tournament.domain.tournament.rounds import close, evolved, seating
from services.tournament.domain.tournament.state import (
    Break,
    Playing,
    Registering,
    Scheduled,
    Starting,
    State,
)
from services.tournament.domain.tournament.words import Cancelling, Ending


def settle(state: State, now: datetime, seed: bytes) -> list[Event]:
    """The facts due at `now`, each at its own instant however late it is decided.

    `seed`, 32 random bytes, is used where the tournament starts, and nowhere else.
    """
    events: list[Event] = []
    while (deadline := due(state, now)) is not None:
        decided = _decided(state, deadline, seed)
        events += decided
        state = evolved(state, decided)
    return events


def _decided(state: State, deadline: datetime, seed: bytes) -> list[Event]:
    assert isinstance(state, Scheduled | Registering | Playing | Break), "nothing else has deadlines"
    at = max(deadline, state.field.last_at)
    match state:
        case Scheduled():
            return [RegistrationOpened(at)]
        case Registering():
            return _start(state, at, seed)
        case Break() if deadline < state.field.plan.ends_at:
            return [seating(state, at)]
        case Playing() | Break():
            return close(state, Ending.TIME, None, at)


def _start(state: Registering, at: datetime, seed: bytes) -> list[Event]:
    if len(state.field.entrants) < state.field.terms.minimum:
        return [TournamentCancelled(Cancelling.TOO_FEW, None, at)]
    started = TournamentStarted(seed, at)
    starting = evolve(state, started)
    assert isinstance(starting, Starting), "it starts"
    return [started, seating(starting, at)]
