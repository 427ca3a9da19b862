"""What deadlines decide: everything that is due at an instant, in the order of the deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from services.match.domain.pauses import Outage
from services.match.domain.race.clocks import all_gone_at, next_deadline, unsettled
from services.match.domain.race.events import ClockPaused, Event, RaceEnded, RaceStarted
from services.match.domain.race.evolve import evolve
from services.match.domain.race.placing import placed
from services.match.domain.race.rating import Rating, rated
from services.match.domain.race.state import Countdown, Racing, State, is_done
from services.match.domain.race.terms import RACE_MAX, EndReason

Ratings = Mapping[UUID, Rating]
"""What is known of the players of a rated race; who is absent has no rating yet."""


def settle(state: State, now: datetime, outages: tuple[Outage, ...], ratings: Ratings) -> list[Event]:
    """The facts due at `now`. What was due before an outage began comes before its pause, the rest after."""
    events: list[Event] = []
    for outage in unsettled(state, outages, now):
        state = _run(state, outage.since, ratings, events)
        if not unsettled(state, outages, now):
            break  # it was over before
        paused = ClockPaused(outage.since, outage.until, _not_before(state, outage.until))
        events.append(paused)
        state = evolve(state, paused)
    _run(state, now, ratings, events)
    return events


def due_at(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> datetime | None:
    """The instant of the first thing that is due at `now`; None when nothing is."""
    found = settle(state, now, outages, {})
    return found[0].occurred_at if found else None


def all_done(state: State) -> bool:
    """Whether no person can do anything more: CPU players do not keep a race going."""
    return isinstance(state, Racing) and all(
        is_done(state.race, racer) for racer in state.racers if racer.seat.account_id is not None
    )


def ending(state: Racing, reason: EndReason, at: datetime, ratings: Ratings) -> RaceEnded:
    """The end of the race for everybody."""
    dealt, ends = state.race.dealt, placed(state)
    accounts = tuple(seat.account_id for seat in dealt.seats)
    if dealt.rated:
        known = [ratings.get(account, Rating()) if account else Rating() for account in accounts]
        ends = rated(ends, known)
    return RaceEnded(dealt.race_id, dealt.group_id, reason, dealt.rated, accounts, ends, at)


def _run(state: State, until: datetime, ratings: Ratings, events: list[Event]) -> State:
    """Add what is due up to an instant; return the state after it."""
    while (due := next_deadline(state)) is not None and due <= until:
        event = _decided(state, _not_before(state, due), ratings)
        events.append(event)
        state = evolve(state, event)
    return state


def _decided(state: State, at: datetime, ratings: Ratings) -> Event:
    if isinstance(state, Countdown):
        return RaceStarted(at)
    assert isinstance(state, Racing), "nothing else has deadlines"
    gone = all_gone_at(state)
    is_gone = gone is not None and gone <= at and gone < state.since + RACE_MAX
    return ending(state, EndReason.ALL_DONE if is_gone else EndReason.TIME, at, ratings)


def _not_before(state: State, instant: datetime) -> datetime:
    """The instant, or that of the last fact where that one is later."""
    last_at: datetime = getattr(state, "last_at", instant)
    return max(instant, last_at)
