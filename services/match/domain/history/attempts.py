"""The story of an attempt at a level, out of its events. Nothing in it is scored."""

from __future__ import annotations

from collections.abc import Iterable

from services.match.domain.evolve import evolve, initial
from services.match.domain.history.steps import Missed, Out, Step, Story, Taken
from services.match.domain.rivals.terms import OutReason, PairKind
from services.match.domain.state import Ended, Running, State, elapsed_ms
from services.match.events import AttemptLeft, Event, JokerUsed, PairRemoved, TouchBlocked


def attempt_story(events: Iterable[Event]) -> Story:
    """Tell an attempt that has ended. Of the faces those are told that its player has seen.

    Everybody gets the same faces on a level: who leaves it is not to learn those that were hidden.
    """
    state: State = initial()
    steps: list[Step] = []
    last_ms = 0
    for event in events:
        before, state = state, evolve(state, event)
        if not isinstance(before, Running):
            continue
        at_ms = elapsed_ms(before.clock_since, event.occurred_at)
        present = before.seat.position.present
        match event:
            case PairRemoved(first=first, second=second) | JokerUsed(first=first, second=second):
                kind = PairKind.JOKER if isinstance(event, JokerUsed) else PairKind.PLAIN
                taken = Taken(first, second, kind, 0, at_ms - last_ms, None, None)
                steps.append(Step(0, at_ms, taken, 0, present & ~(1 << first | 1 << second)))
                last_ms = at_ms
            case TouchBlocked(tile=tile, why=why):
                steps.append(Step(0, at_ms, Missed(tile, why, 0), 0, present))
            case AttemptLeft():
                steps.append(Step(0, at_ms, Out(OutReason.LEFT), 0, present))
            case _:
                pass
    assert isinstance(state, Ended), "only what has ended is told"
    attempt = state.attempt
    deal, taken_away = attempt.deal, attempt.deal.layout.full & ~state.seat.position.present
    return Story(
        (attempt.account_id,),
        deal.layout,
        deal.layout_title,
        deal.faces,
        state.seat.known | taken_away,
        state.clock_since,
        tuple(steps),
    )
