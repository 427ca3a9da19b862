"""What deadlines decide in a game of the pool, in their order, and how a game ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from uuid import UUID

from services.match.domain.pauses import Outage
from services.match.domain.pool.dealing import DISTINCT_FACES
from services.match.domain.pool.events import (
    ClockPaused,
    CountdownBegun,
    Event,
    PoolDealRevealed,
    PoolEnded,
    PoolSeatEnded,
    PoolStarted,
    StakeRefused,
)
from services.match.domain.pool.evolve import evolve
from services.match.domain.pool.pot import ending_of, results
from services.match.domain.pool.state import Dealt, State
from services.match.domain.pool.terms import (
    STAKES_WITHIN,
    Phase,
    PoolEnding,
    SeatEnding,
    Stake,
    StakeRefusal,
)


class What(Enum):
    """What is due."""

    STAKES = auto()
    """Stakes that were not paid are too late."""
    SIGNAL = auto()
    TIME = auto()
    """Time is up."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The next thing that time decides."""

    due: datetime
    what: What


def next_deadline(state: State) -> Deadline | None:
    """The earliest deadline; None once the game is over."""
    if not isinstance(state, Dealt):
        return None
    match state.phase:
        case Phase.STAKING:
            return Deadline(state.dealt_at + STAKES_WITHIN, What.STAKES)
        case Phase.COUNTDOWN:
            return Deadline(state.signal_at, What.SIGNAL)
        case Phase.RUNNING:
            return Deadline(state.ends_at, What.TIME)
        case Phase.OVER:
            return None


def settle(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> list[Event]:
    """The facts due at `now`. What was due before an outage began comes before its pause, the rest after."""
    events: list[Event] = []
    for outage in _unsettled(state, outages, now):
        state = _run(state, outage.since, events)
        if not _unsettled(state, outages, now):
            break  # it was over before
        assert isinstance(state, Dealt)
        paused = ClockPaused(outage.since, outage.until, max(outage.until, state.last_at))
        events.append(paused)
        state = evolve(state, paused)
    _run(state, now, events)
    return events


def due_at(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> datetime | None:
    """The instant of the first thing that is due at `now`; None when nothing is."""
    found = settle(state, now, outages)
    return found[0].occurred_at if found else None


def stakes_decided(state: Dealt, at: datetime) -> list[Event]:
    """What follows where all stakes are decided: the countdown, or a void match; else nothing."""
    if state.phase is not Phase.STAKING or any(seat.stake is Stake.PENDING for seat in state.seats):
        return []
    if ending_of(state) is PoolEnding.VOID_STAKES:
        return ending(state, PoolEnding.VOID_STAKES, at)
    return [CountdownBegun(at)]


def seats_ended(state: Dealt, at: datetime) -> list[Event]:
    """The end of the game where every seat's own game is over; else nothing."""
    if state.phase is not Phase.RUNNING or any(True for _ in state.playing()):
        return []
    return ending(state, ending_of(state), at)


def ending(state: Dealt, why: PoolEnding, at: datetime, next_game_id: UUID | None = None) -> list[Event]:
    """The end for everybody, and the deal laid open."""
    deal = state.deal
    return [
        PoolEnded(why, results(state, why), next_game_id, at),
        PoolDealRevealed(deal.catalogue_version, deal.layout.name, DISTINCT_FACES, deal.seed, deal.nonce, at),
    ]


def _unsettled(state: State, outages: tuple[Outage, ...], now: datetime) -> list[Outage]:
    """The outages to be taken out of the clock yet: those of the countdown and of the play."""
    if not isinstance(state, Dealt) or state.phase not in {Phase.COUNTDOWN, Phase.RUNNING}:
        return []
    found: list[Outage] = []
    done = max(state.paused_until, state.dealt_at)
    for outage in sorted(outages, key=lambda each: each.since):
        since = max(outage.since, done)
        if since < outage.until <= now:
            found.append(Outage(since, outage.until))
            done = outage.until
    return found


def _run(state: State, until: datetime, events: list[Event]) -> State:
    """Add what is due up to an instant; return the state after it."""
    while (deadline := next_deadline(state)) is not None and deadline.due <= until:
        assert isinstance(state, Dealt)
        for event in _decided(state, deadline):
            events.append(event)
            state = evolve(state, event)
    return state


def _decided(state: Dealt, deadline: Deadline) -> list[Event]:
    at = max(deadline.due, state.last_at)
    match deadline.what:
        case What.SIGNAL:
            return [PoolStarted(at)]
        case What.STAKES:
            late = [seat for seat, each in enumerate(state.seats) if each.stake is Stake.PENDING]
            return followed(state, [StakeRefused(seat, StakeRefusal.TOO_LATE, at) for seat in late], at)
        case What.TIME:
            return followed(
                state, [PoolSeatEnded(seat, SeatEnding.TIME, at) for seat, _ in state.playing()], at
            )


def followed(state: Dealt, events: list[Event], at: datetime) -> list[Event]:
    """The facts, and what follows from them for the whole game."""
    after: State = state
    for event in events:
        after = evolve(after, event)
    assert isinstance(after, Dealt)
    return [*events, *stakes_decided(after, at), *seats_ended(after, at)]
