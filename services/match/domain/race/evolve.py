"""How past facts change a race. Never refuses, never asks a solver."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from services.match.domain.pauses import Outage, moved_on
from services.match.domain.race.dealing import matching_of
from services.match.domain.race.events import (
    ClockPaused,
    Event,
    RaceBoardShuffled,
    RaceDealt,
    RaceEnded,
    RaceHintShown,
    RacePairRemoved,
    RaceSeatAway,
    RaceSeatBack,
    RaceSeatGaveUp,
    RaceStarted,
    RaceTileTouched,
    SeatEvent,
)
from services.match.domain.race.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    Race,
    RaceBoard,
    Racer,
    Racing,
    State,
    is_done,
    is_stuck,
)
from services.match.domain.race.terms import MILLISECOND


def initial() -> State:
    """A stream without events."""
    return NotDealt()


def evolve(state: State, event: Event) -> State:
    """The state after a past fact."""
    match event:
        case RaceDealt(occurred_at=at):
            assert isinstance(state, NotDealt), "a stream holds one race"
            return Countdown(Race(event), since=at, last_at=at, paused_until=at, away={})
        case RaceStarted():
            assert isinstance(state, Countdown), "there is one signal"
            return _start(state, event.occurred_at)
        case ClockPaused():
            return _pause(state, event)
        case RaceEnded():
            racing = _racing(state)
            return Over(racing.race, racing.racers, racing.since, event.occurred_at, event)
        case RaceSeatAway() | RaceSeatBack() if isinstance(state, Countdown):
            away = {seat: since for seat, since in state.away.items() if seat != event.seat}
            if isinstance(event, RaceSeatAway):
                away[event.seat] = event.occurred_at
            return replace(state, away=away, last_at=event.occurred_at)
        case _:
            racing = _racing(state)
            changed = _seat_changed(racing, racing.racers[event.seat], event)
            racers = (*racing.racers[: event.seat], changed, *racing.racers[event.seat + 1 :])
            return replace(racing, racers=racers, last_at=event.occurred_at)


def _racing(state: State) -> Racing:
    assert isinstance(state, Racing), "only a race that has begun goes on"
    return state


def _start(state: Countdown, at: datetime) -> Racing:
    race = state.race
    racers = []
    for number, seat in enumerate(race.seats):
        dealt = race.deal_of(number)
        board = RaceBoard(dealt.layout, dealt.faces, dealt.layout.full, matching_of(dealt))
        racers.append(
            Racer(
                seat,
                board,
                board_version=0,
                touches=0,
                shuffles_used=0,
                hints_used=0,
                pause_until=at,
                progress_at=at,
                acted_at=at,
                moved_at=at,
                away_since=state.away.get(number),
            )
        )
    return Racing(race, tuple(racers), since=at, last_at=at, paused_until=state.paused_until)


def _pause(state: State, event: ClockPaused) -> Dealt:
    """Clocks stand. Nobody's stream outlives it, so everybody who plays is away from its end on."""
    outage = Outage(event.since, event.until)
    match state:
        case Countdown():
            since = moved_on(state.since, outage)
            persons = [n for n, seat in enumerate(state.race.seats) if seat.account_id is not None]
            away = dict.fromkeys(persons, event.until) | {
                seat: moved_on(at, outage) for seat, at in state.away.items()
            }
            return replace(state, since=since, last_at=event.occurred_at, paused_until=event.until, away=away)
        case Racing():
            return replace(
                state,
                racers=tuple(_racer_paused(state, racer, outage) for racer in state.racers),
                since=moved_on(state.since, outage),
                last_at=event.occurred_at,
                paused_until=event.until,
            )
        case _:
            raise AssertionError("only running clocks are paused")


def _racer_paused(state: Racing, racer: Racer, outage: Outage) -> Racer:
    away = racer.away_since
    if away is not None:
        away = moved_on(away, outage)
    elif racer.seat.account_id is not None and not is_done(state.race, racer):
        away = outage.until
    return replace(
        racer,
        pause_until=moved_on(racer.pause_until, outage),
        progress_at=moved_on(racer.progress_at, outage),
        acted_at=moved_on(racer.acted_at, outage),
        moved_at=moved_on(racer.moved_at, outage),
        away_since=away,
    )


def _seat_changed(racing: Racing, racer: Racer, event: SeatEvent) -> Racer:
    at = event.occurred_at
    match event:
        case RaceSeatAway():
            return replace(racer, away_since=at)
        case RaceSeatBack():
            return replace(racer, away_since=None)
        case RaceSeatGaveUp():
            stuck = is_stuck(racing.race, racer)
            moved = replace(racer, gave_up=True, gave_up_stuck=stuck, acted_at=at)
            return replace(moved, board_version=racer.board_version + 1)
        case RaceTileTouched():
            return replace(_acted(racer, at, by_cpu=False), touches=racer.touches + 1)
        case RacePairRemoved():
            return _pair_removed(racing, racer, event)
        case RaceBoardShuffled():
            board = replace(racer.board, faces=event.faces, present=event.present)
            pause = timedelta(seconds=racing.race.settings.shuffle_pause_s)
            shuffled = replace(
                racer, board=board, shuffles_used=racer.shuffles_used + 1, pause_until=at + pause
            )
            return _acted(shuffled, at, by_cpu=event.by_cpu)
        case RaceHintShown():
            return _acted(replace(racer, hints_used=racer.hints_used + 1), at, by_cpu=event.by_cpu)


def _pair_removed(racing: Racing, racer: Racer, event: RacePairRemoved) -> Racer:
    at = event.occurred_at
    board = replace(racer.board, present=racer.board.present & ~(1 << event.first | 1 << event.second))
    moved = replace(
        racer,
        board=board,
        touches=racer.touches + (0 if event.by_cpu else 1),
        progress_at=at,
        cpu_pairs=racer.cpu_pairs + event.by_cpu,
    )
    if not board.present:
        finished_ms = max(0, (at - racing.since) // MILLISECOND)
        moved = replace(moved, finished_ms=finished_ms, finished_by_cpu=event.by_cpu)
    return _acted(moved, at, by_cpu=event.by_cpu)


def _acted(racer: Racer, at: datetime, *, by_cpu: bool) -> Racer:
    return replace(
        racer,
        board_version=racer.board_version + 1,
        acted_at=at,
        moved_at=racer.moved_at if by_cpu else at,
    )
