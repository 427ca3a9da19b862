"""An attempt run again: its events give the orders and the instants, the rules decide anew.

What stood in the level's table at a finish, others' times and what was paid before, is read off the stored
award: place and points must follow from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.match import events as ev
from services.match.commands import (
    Command,
    GiveUpJoker,
    Leave,
    PutBack,
    RestartLevel,
    StartLevel,
    TakeJoker,
    Touch,
    UseJoker,
)
from services.match.domain.decide import decide, pauses
from services.match.domain.evolve import evolve, initial
from services.match.domain.partner import Partner
from services.match.domain.pauses import Outage
from services.match.domain.points import TOP_TEN, Award, Standing
from services.match.domain.state import NotStarted, Running, State
from services.match.wire.event_codec import EventCodec

_CODEC: Final = EventCodec()


def rerun_attempt(events: Sequence[ev.Event]) -> str | None:
    """Run an attempt again as far as its events go; return where it first comes otherwise than stored."""
    state: State = initial()
    outages: tuple[Outage, ...] = ()
    done = 0
    while done < len(events):
        event = events[done]
        following = events[done + 1] if done + 1 < len(events) else None
        if isinstance(event, ev.ClockPaused):
            outages = (*outages, Outage(event.since, event.until))
            made = pauses(state, outages, event.occurred_at)
        else:
            made = _made(state, event, following, outages)
        if not made:
            return f"event {done + 1}: nothing brings about {event}"
        for each, stored in zip(made, events[done:], strict=False):
            done += 1
            if _CODEC.encode(each) != _CODEC.encode(stored) or each.occurred_at != stored.occurred_at:
                return f"event {done}: {each} comes out, stored is {stored}"
            state = evolve(state, each)
    return None


def _made(
    state: State, event: ev.Event, following: ev.Event | None, outages: tuple[Outage, ...]
) -> list[ev.Event]:
    command = _order(state, event)
    if command is None or (isinstance(command, StartLevel) != isinstance(state, NotStarted)):
        return []
    standing = _standing(following) if isinstance(following, ev.AttemptCleared) else None
    partner = None
    if isinstance(event, ev.JokerRequested) and isinstance(state, Running):
        partner = Partner(state.seat.position.present, event.first, event.second)
    decided = decide(command, state, standing, partner, outages)
    return decided if isinstance(decided, list) else []


def _order(state: State, event: ev.Event) -> Command | None:  # noqa: C901 one case per event
    """The order that an event answers."""
    at = event.occurred_at
    if isinstance(event, ev.AttemptStarted):
        return StartLevel(event.account_id, event.deal, at)
    if not isinstance(state, Running):
        return None
    account, version = state.attempt.account_id, state.seat.board_version
    match event:
        case ev.TileLifted(tile=tile) | ev.TouchNotSame(tile=tile) | ev.TouchBlocked(tile=tile):
            return Touch(account, tile, version, at)
        case ev.TilePutBack():
            return PutBack(account, version, at)
        case ev.PairRemoved(second=second):
            return Touch(account, second, version, at)
        case ev.JokerRequested():
            return UseJoker(account, version, at)
        case ev.JokerUsed(number=number):
            return TakeJoker(account, number, at)
        case ev.JokerGivenUp(number=number, reason=reason):
            return GiveUpJoker(account, number, reason, at)
        case ev.AttemptLeft():
            return Leave(account, at)
        case ev.AttemptRestarted(next_attempt_id=next_attempt_id):
            return RestartLevel(account, next_attempt_id, at)
        case _:
            return None


def _standing(cleared: ev.AttemptCleared) -> Standing:
    """What the level's table must have said for this award, if there is such a table."""
    bonus, place = cleared.time_bonus_points, cleared.place
    was_best = not bonus and place == 1
    was_listed = not bonus and 1 < place <= TOP_TEN
    return Standing(place - 1, Award(not cleared.first_completion_points, was_best, was_listed))
