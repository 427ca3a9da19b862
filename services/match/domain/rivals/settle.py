"""What deadlines decide: everything that is due at an instant, in the order of the deadlines."""

from __future__ import annotations

from datetime import datetime

from services.match.domain.rivals.clocks import (
    Cut,
    Deadline,
    IdleOut,
    Outage,
    Signal,
    TimeUp,
    next_deadline,
    unsettled,
)
from services.match.domain.rivals.events import (
    ClockPaused,
    DealRevealed,
    Event,
    RoundEnded,
    RoundStarted,
    SeatWentOut,
)
from services.match.domain.rivals.evolve import begun, evolve
from services.match.domain.rivals.placing import placed
from services.match.domain.rivals.state import Countdown, Dealt, NotDealt, Over, Playing, State
from services.match.domain.rivals.terms import EndReason, OutReason


def settle(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> list[Event]:
    """The facts due at `now`. What was due before an outage began comes before its pause, the rest after."""
    events: list[Event] = []
    for outage in unsettled(state, outages, now):
        state = _run(state, outage.since, events)
        if not unsettled(state, outages, now):
            break  # it was over before
        until = _cut_off(state, outage)
        paused = ClockPaused(outage.since, until, _not_before(state, until))
        events.append(paused)
        state = evolve(state, paused)
    _run(state, now, events)
    return events


def due_at(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> datetime | None:
    """The instant of the first thing that is due at `now`; None when nothing is."""
    found = settle(state, now, outages)
    return found[0].occurred_at if found else None


def cut(state: Dealt, at: datetime, outages: tuple[Outage, ...] = ()) -> list[Event]:
    """The end of a round that is cut at an instant, as it stands then; nothing where it is over before."""
    events = settle(state, at, outages)
    for event in events:
        state = _dealt(evolve(state, event))
    if not isinstance(state, Over):
        events += ending(state, EndReason.CUT, _not_before(state, at))
    return events


def ending(state: Countdown | Playing, reason: EndReason, at: datetime) -> list[Event]:
    """The end of the round for everybody, and the deal laid open."""
    deal = state.round.deal
    players = begun(state, at).players if isinstance(state, Countdown) else state.players
    return [
        RoundEnded(reason, placed(players), at),
        DealRevealed(
            deal.catalogue_version, deal.layout.name, deal.distinct_faces, deal.seed, deal.nonce, at
        ),
    ]


def all_out(state: State) -> bool:
    """Whether nobody plays any more."""
    return isinstance(state, Playing) and all(player.out is not None for player in state.players)


def _run(state: State, until: datetime, events: list[Event]) -> State:
    """Add what is due up to an instant; return the state after it."""
    while (deadline := next_deadline(state)) is not None and deadline.due <= until:
        for event in _decided(state, deadline):
            events.append(event)
            state = evolve(state, event)
    return state


def _decided(state: State, deadline: Deadline) -> list[Event]:
    at = _not_before(state, deadline.due)
    match deadline:
        case Signal():
            started = RoundStarted(at)
            after = evolve(state, started)
            assert isinstance(after, Playing)
            return [started, *(ending(after, EndReason.ALL_OUT, at) if all_out(after) else ())]
        case IdleOut(seat=seat):
            out = SeatWentOut(seat, OutReason.IDLE, at)
            after = evolve(state, out)
            assert isinstance(after, Playing)
            return [out, *(ending(after, EndReason.ALL_OUT, at) if all_out(after) else ())]
        case TimeUp():
            assert isinstance(state, Playing)
            return ending(state, EndReason.TIME, at)
        case Cut():
            assert isinstance(state, Countdown | Playing)
            return ending(state, EndReason.CUT, at)


def _cut_off(state: State, outage: Outage) -> datetime:
    """Where a pause ends: the end of a tournament is not moved on by it."""
    cut_at = None if isinstance(state, NotDealt) else state.round.stage.cut_at
    return outage.until if cut_at is None else min(outage.until, cut_at)


def _dealt(state: State) -> Dealt:
    assert not isinstance(state, NotDealt), "a round that was dealt stays so"
    return state


def _not_before(state: State, instant: datetime) -> datetime:
    """The instant, or that of the last fact where that one is later."""
    last_at = getattr(state, "last_at", instant)
    return max(instant, last_at)
