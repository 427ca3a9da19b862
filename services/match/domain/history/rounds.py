"""The story of a round, out of its events. What pairs were worth, and why, is what the events say."""

from __future__ import annotations

from collections.abc import Iterable

from services.match.domain.history.steps import Missed, Out, Step, Story, Taken
from services.match.domain.rivals.clocks import MILLISECOND
from services.match.domain.rivals.events import (
    Event,
    JokerUsed,
    SeatRemovedPair,
    SeatTouchedBlocked,
    SeatWentOut,
)
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.state import Over, Player, Playing, State
from services.match.domain.rivals.terms import PairKind


def round_story(events: Iterable[Event]) -> Story:
    """Tell a round that is over."""
    state: State = initial()
    steps: list[Step] = []
    for event in events:
        before, state = state, evolve(state, event)
        if isinstance(before, Playing) and isinstance(state, Playing):
            told = _step(before, event, state)
            if told is not None:
                steps.append(told)
    assert isinstance(state, Over), "only what is over is told"
    deal = state.round.deal
    return Story(
        state.round.accounts,
        deal.layout,
        deal.layout_title,
        deal.faces,
        deal.layout.full,
        state.since,
        tuple(steps),
    )


def _step(before: Playing, event: Event, after: Playing) -> Step | None:
    if not isinstance(event, SeatRemovedPair | JokerUsed | SeatTouchedBlocked | SeatWentOut):
        return None
    was, now = before.players[event.seat], after.players[event.seat]
    at_ms = max(0, (event.occurred_at - after.since) // MILLISECOND)
    return Step(event.seat, at_ms, _what(was, event, now), now.score, now.board.position.present)


def _what(
    was: Player, event: SeatRemovedPair | JokerUsed | SeatTouchedBlocked | SeatWentOut, now: Player
) -> Taken | Missed | Out:
    match event:
        case SeatRemovedPair():
            return Taken(
                event.first,
                event.second,
                event.kind,
                event.worth,
                event.took_ms,
                was.record_ms,
                now.record_ms,
                event.verdict.undecided,
            )
        case JokerUsed(first=first, second=second, worth=worth):
            took_ms = max(0, (event.occurred_at - was.pace_since) // MILLISECOND)
            return Taken(first, second, PairKind.JOKER, worth, took_ms, was.record_ms, now.record_ms)
        case SeatTouchedBlocked(tile=tile, why=why):
            return Missed(tile, why, was.score - now.score)
        case SeatWentOut(reason=reason):
            return Out(reason)
