"""What an order brings about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.rules.solitaire.touch import BlockedTouch, Lifted, NotSame, Paired, touch
from libs.rules.solitaire.touch import PutBack as TouchedLifted
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
from services.match.domain.partner import JOKERS_MAX, NeedsPartner, Partner, partner_of
from services.match.domain.pauses import Outage, overlapping
from services.match.domain.points import Standing, first_completion_points, time_bonus_points
from services.match.domain.refusal import Refusal
from services.match.domain.state import Ended, NotStarted, Running, State, elapsed_ms
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

TOUCHES_MAX: Final = 4_800
"""Touches and put-backs of one attempt."""


@dataclass(frozen=True, slots=True)
class LastPair:
    """The touch or joker makes the last pair, and what that brings stands in the level's table.

    Neither facts nor a refusal: take the level's lock, read the standing for `elapsed_ms`, and decide again.
    """

    level: int
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Outages stand in the attempt's clock yet. Take them out first (see `pauses`), then decide again."""


Question = LastPair | NeedsPartner | Unsettled
Decision = list[Event] | Refusal | Question


def decide(
    command: Command,
    state: State,
    standing: Standing | None = None,
    partner: Partner | None = None,
    outages: tuple[Outage, ...] = (),
) -> Decision:
    """The facts that an order brings about, why it changes nothing, or what must be done first.

    `standing` is needed for the last pair (see LastPair), `partner` for a joker that has a choice (see
    NeedsPartner), and neither is read otherwise.
    """
    if isinstance(command, StartLevel):
        assert isinstance(state, NotStarted), "a new attempt has a stream of its own"
        return [AttemptStarted(command.account_id, command.deal, command.at)]
    if pauses(state, outages, command.at):
        return Unsettled()
    if isinstance(command, TakeJoker | GiveUpJoker):
        return _joker_outcome(command, state, standing)
    running = _admit(command, state)
    if isinstance(running, Refusal):
        return running
    at = max(command.at, running.last_at)
    attempt = running.attempt
    match command:
        case RestartLevel(next_attempt_id=next_attempt_id):
            return [AttemptRestarted(attempt.account_id, attempt.deal.level, next_attempt_id, at)]
        case Leave():
            return [AttemptLeft(attempt.account_id, attempt.deal.level, at)]
        case PutBack():
            lifted = running.seat.lifted
            return Refusal.NOTHING_LIFTED if lifted is None else [TilePutBack(lifted, at)]
        case Touch(tile=tile):
            return _touch(running, tile, at, standing)
        case UseJoker():
            return _request_joker(running, at, partner)


def pauses(state: State, outages: tuple[Outage, ...], now: datetime) -> list[Event]:
    """The outages that a running attempt's clock is to leave out yet; each fact comes when it is over.

    What began before the start counts from the start, and what is over after the last pair was received
    moves the pair to its own end: the time on the clock is the same as if both were cut there.
    """
    if not isinstance(state, Running):
        return []
    found = overlapping(outages, state.paused_until, max(now, state.last_at))
    return [ClockPaused(each.since, each.until, max(each.until, state.last_at)) for each in found]


def start_again(ended: Ended, account_id: UUID, at: datetime) -> AttemptStarted:
    """The first fact of the attempt that follows a restart: the same deal, a clock of its own."""
    return AttemptStarted(account_id, ended.attempt.deal, max(at, ended.last_at))


def _admit(command: RestartLevel | Touch | PutBack | UseJoker | Leave, state: State) -> Running | Refusal:
    """The running attempt that the caller may change, or the first reason why not."""
    if isinstance(state, NotStarted):
        return Refusal.NOT_FOUND
    if state.attempt.account_id != command.account_id:
        return Refusal.NOT_YOURS
    if isinstance(command, Touch) and not 0 <= command.tile < state.attempt.deal.layout.size:
        return Refusal.TILE_OUT_OF_RANGE
    if isinstance(state, Ended):
        return Refusal.MATCH_ENDED
    if isinstance(command, Touch | PutBack | UseJoker):
        if state.jokers.pending is not None:
            return Refusal.JOKER_PENDING
        if command.expected_board_version != state.seat.board_version:
            return Refusal.STALE_BOARD_VERSION
        if not isinstance(command, UseJoker) and state.seat.touches >= TOUCHES_MAX:
            return Refusal.TOUCH_LIMIT
    return state


def _touch(running: Running, tile: int, at: datetime, standing: Standing | None) -> Decision:
    seat, position = running.seat, running.seat.position
    if not position.present >> tile & 1:
        return Refusal.TILE_GONE
    match touch(position.layout, position.faces, position.present, seat.lifted, tile):
        case Lifted(tile=tile, replaced=replaced):
            return [TileLifted(tile, replaced, at)]
        case TouchedLifted(tile=tile):
            return [TilePutBack(tile, at)]
        case NotSame(tile=tile):
            return [TouchNotSame(tile, at)]
        case BlockedTouch(tile=tile, why=why):
            return [TouchBlocked(tile, why, at)]
        case Paired(first=first, second=second):
            return _and_clear(running, PairRemoved(first, second, at), standing)


def _request_joker(running: Running, at: datetime, partner: Partner | None) -> Decision:
    first, jokers = running.seat.lifted, running.jokers
    if first is None:
        return Refusal.NOTHING_LIFTED
    if jokers.used >= JOKERS_MAX:
        return Refusal.JOKERS_USED_UP
    second = partner_of(running.seat.position, first, partner)
    if isinstance(second, NeedsPartner):
        return second
    return [JokerRequested(0, jokers.requested + 1, first, second, at)]


def _joker_outcome(command: TakeJoker | GiveUpJoker, state: State, standing: Standing | None) -> Decision:
    """What the ledger's answer brings: nothing where the request is no longer open."""
    if not isinstance(state, Running):
        return []
    pending, at = state.jokers.pending, max(command.at, state.last_at)
    if pending is None or pending.number != command.number:
        return []
    if isinstance(command, GiveUpJoker):
        return [JokerGivenUp(0, command.number, command.reason, at)]
    used = JokerUsed(0, pending.number, pending.first, pending.second, 0, 0, at)
    return _and_clear(state, used, standing)


def _and_clear(running: Running, removed: PairRemoved | JokerUsed, standing: Standing | None) -> Decision:
    """The pair, and the end of the level where it was the last one."""
    at = removed.occurred_at
    if running.seat.position.tiles_left > 2:
        return [removed]
    if standing is None:
        return LastPair(running.attempt.deal.level, elapsed_ms(running.clock_since, at))
    return [removed, _clear(running, at, standing)]


def _clear(running: Running, at: datetime, standing: Standing) -> AttemptCleared:
    attempt = running.attempt
    return AttemptCleared(
        account_id=attempt.account_id,
        level=attempt.deal.level,
        catalogue_version=attempt.deal.catalogue_version,
        elapsed_ms=elapsed_ms(running.clock_since, at),
        place=standing.place,
        first_completion_points=first_completion_points(standing),
        time_bonus_points=time_bonus_points(standing),
        occurred_at=at,
    )
