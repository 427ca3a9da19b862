"""How past facts change an attempt. Never refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from services.match.domain.pauses import Outage, moved_on
from services.match.domain.position import Position
from services.match.domain.state import (
    Attempt,
    Begun,
    Cleared,
    Ended,
    Ending,
    HeldJokers,
    Left,
    NotStarted,
    OpenJoker,
    Restarted,
    Running,
    Seat,
    State,
)
from services.match.events import (
    AttemptCleared,
    AttemptLeft,
    AttemptRestarted,
    AttemptStarted,
    ClockPaused,
    Event,
    JokerGivenUp,
    JokerRequested,
    JokerUsed,
    PairRemoved,
    TileLifted,
    TilePutBack,
    TouchBlocked,
    TouchNotSame,
)


def initial() -> State:
    """A stream without events."""
    return NotStarted()


def evolve(state: State, event: Event) -> State:
    """The state after a past fact."""
    match event:
        case AttemptStarted():
            assert isinstance(state, NotStarted), "a stream holds one attempt"
            return _start(event)
        case AttemptCleared():
            ending = Cleared(
                event.elapsed_ms, event.place, event.first_completion_points, event.time_bonus_points
            )
            # The pair before it was the command: it has been counted, and it uncovered nothing.
            return _end(_running(state), ending, event.occurred_at)
        case AttemptLeft():
            return _end(_counted(_running(state)), Left(), event.occurred_at)
        case AttemptRestarted(next_attempt_id=next_attempt_id):
            return _end(_counted(_running(state)), Restarted(next_attempt_id), event.occurred_at)
        case ClockPaused():
            return _pause(_running(state), event)
        case JokerRequested() | JokerUsed() | JokerGivenUp():
            return _joker(_running(state), event)
        case _:
            running = _running(state)
            return replace(running, seat=touched(running.seat, event), last_at=event.occurred_at)


def _start(event: AttemptStarted) -> Running:
    deal = event.deal
    position = Position(deal.layout, deal.faces, deal.layout.full)
    known = position.uncovered()
    seat = Seat(position, lifted=None, known=known, fresh=known, board_version=0, touches=0)
    at = event.occurred_at
    return Running(Attempt(event.account_id, deal, at), seat, last_at=at, clock_since=at, paused_until=at)


def _running(state: State) -> Running:
    assert isinstance(state, Running), "only a running attempt goes on"
    return state


def _end(running: Running, ending: Ending, at: datetime) -> Begun:
    jokers = _given_up(running.jokers)
    return Ended(running.attempt, running.seat, at, running.clock_since, ending, jokers)


def _pause(running: Running, event: ClockPaused) -> Running:
    """No command: the board keeps its version, and nothing is uncovered by it."""
    return replace(
        running,
        seat=replace(running.seat, fresh=0),
        last_at=event.occurred_at,
        clock_since=moved_on(running.clock_since, Outage(event.since, event.until)),
        paused_until=event.until,
    )


def _joker(running: Running, event: JokerRequested | JokerUsed | JokerGivenUp) -> Running:
    jokers, at = running.jokers, event.occurred_at
    match event:
        case JokerRequested(number=number, first=first, second=second):
            jokers = replace(jokers, requested=number, pending=OpenJoker(number, first, second, at))
            return replace(running, jokers=jokers, last_at=at)
        case JokerGivenUp():
            return replace(running, jokers=_given_up(jokers), last_at=at)
        case JokerUsed(first=first, second=second):
            seat = touched(running.seat, PairRemoved(first, second, at))
            seat = replace(seat, touches=running.seat.touches)  # a joker is no touch
            jokers = replace(jokers, used=jokers.used + 1, pending=None)
            return replace(running, seat=seat, jokers=jokers, last_at=at)


def _given_up(jokers: HeldJokers) -> HeldJokers:
    """A joker that is still open when the attempt is over, or its request is dropped, comes to nothing."""
    if jokers.pending is None:
        return jokers
    return replace(jokers, pending=None, given_up=(*jokers.given_up, jokers.pending.number))


def _counted(running: Running) -> Running:
    seat = running.seat
    return replace(running, seat=replace(seat, fresh=0, board_version=seat.board_version + 1))


def touched(seat: Seat, event: TileLifted | TilePutBack | PairRemoved | TouchNotSame | TouchBlocked) -> Seat:
    """The seat after a touch."""
    position, lifted, fresh = seat.position, seat.lifted, 0
    match event:
        case TileLifted(tile=tile):
            lifted = tile
            fresh = position.uncovered_by(1 << tile, lifted, seat.known)
        case TilePutBack():
            lifted = None
        case PairRemoved(first=first, second=second):
            position, lifted = position.without(first, second), None
            fresh = position.uncovered_by(1 << first | 1 << second, None, seat.known)
        case TouchNotSame() | TouchBlocked():
            pass
    return Seat(position, lifted, seat.known | fresh, fresh, seat.board_version + 1, touches=seat.touches + 1)
