"""The story of a race, out of its events: what every seat did on its own board, and how each was placed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from libs.rules.tiles import Face
from services.match.domain.race.events import (
    Event,
    Move,
    RaceHintShown,
    RacePairRemoved,
    RaceSeatAway,
    RaceSeatBack,
    RaceSeatGaveUp,
    SeatEvent,
)
from services.match.domain.race.evolve import evolve, initial
from services.match.domain.race.state import (
    Over,
    Race,
    Racer,
    Racing,
    State,
    elapsed_ms,
    hints_left,
    shuffles_left,
)
from services.match.domain.race.terms import MILLISECOND


@dataclass(frozen=True, slots=True)
class RaceStep:
    """One thing that a seat did, and its board after it."""

    event: SeatEvent
    at_ms: int
    """Since the signal, pauses left out; 0 before it."""
    faces: tuple[Face, ...]
    """Of the two tiles of a pair or a hint."""
    took_ms: int
    """Of a pair: since the seat's pair before, or the signal."""
    stuck: bool
    """Whether whoever gave up could do nothing else."""
    tiles_left: int
    percent: int
    shuffles_left: int | None
    hints_left: int | None


@dataclass(frozen=True, slots=True)
class RaceStory:
    """A race from the signal to its end."""

    over: Over
    since: datetime
    steps: tuple[RaceStep, ...]


def race_story(events: Iterable[Event]) -> RaceStory:
    """Tell a race that is over."""
    state: State = initial()
    steps: list[RaceStep] = []
    for event in events:
        before, state = state, evolve(state, event)
        if isinstance(event, Move | RaceSeatGaveUp | RaceSeatAway | RaceSeatBack):
            steps.append(_step(before, event, state))
    assert isinstance(state, Over), "only what is over is told"
    return RaceStory(state, state.since, tuple(steps))


def _step(before: State, event: SeatEvent, after: State) -> RaceStep:
    if not isinstance(before, Racing) or not isinstance(after, Racing):
        return _in_countdown(event, after)
    was, now = before.racers[event.seat], after.racers[event.seat]
    faces: tuple[Face, ...] = ()
    if isinstance(event, RacePairRemoved | RaceHintShown):
        faces = (was.board.faces[event.first], was.board.faces[event.second])
    took = (event.occurred_at - was.progress_at) // MILLISECOND if isinstance(event, RacePairRemoved) else 0
    return _told(after.race, event, now, elapsed_ms(after, event.occurred_at), faces, max(0, took))


def _in_countdown(event: SeatEvent, after: State) -> RaceStep:
    """Leaving and coming back before the signal: the board lies untouched."""
    race: Race = getattr(after, "race")  # noqa: B009 every state in which a seat acts has one
    tiles = race.deal_of(event.seat).layout.size
    settings = race.settings
    return RaceStep(event, 0, (), 0, False, tiles, 0, settings.shuffles, settings.hints)


def _told(
    race: Race, event: SeatEvent, now: Racer, at_ms: int, faces: tuple[Face, ...], took_ms: int
) -> RaceStep:
    return RaceStep(
        event,
        at_ms,
        faces,
        took_ms,
        isinstance(event, RaceSeatGaveUp) and now.gave_up_stuck,
        now.tiles_left,
        now.percent,
        shuffles_left(race, now),
        hints_left(race, now),
    )
