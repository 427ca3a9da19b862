"""What a seat's order brings about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.board import blockers, matches
from libs.rules.solitaire.certificate import Certificate
from libs.rules.tiles import Face
from services.match.domain.pauses import Outage
from services.match.domain.race.commands import (
    BoardCommand,
    By,
    ComeBack,
    Command,
    Cpu,
    GiveUp,
    GoAway,
    RemovePair,
    Shuffle,
    TouchTile,
)
from services.match.domain.race.events import (
    Event,
    RaceBoardShuffled,
    RaceHintShown,
    RacePairRemoved,
    RaceSeatAway,
    RaceSeatBack,
    RaceSeatGaveUp,
    RaceTileTouched,
)
from services.match.domain.race.evolve import evolve
from services.match.domain.race.rating import Rating
from services.match.domain.race.refusal import RaceRefusal
from services.match.domain.race.settle import all_done, due_at, ending
from services.match.domain.race.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    RaceBoard,
    Racer,
    Racing,
    State,
    hints_left,
    is_done,
    shuffles_left,
)
from services.match.domain.race.terms import MILLISECOND, TOUCHES_MAX, EndReason


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Deadlines have passed. Settle the race first, then decide again."""

    due: datetime


@dataclass(frozen=True, slots=True)
class NeedsShuffle:
    """The board may be shuffled. Ask for an arrangement that can be cleared, and decide again."""

    board: RaceBoard
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class NewArrangement:
    """The answer: for the board with exactly these faces and tiles."""

    board: RaceBoard
    faces: tuple[Face, ...]
    present: int
    moved: bool


@dataclass(frozen=True, slots=True)
class Outside:
    """What was found out between two judgements of the same command."""

    outages: tuple[Outage, ...] = ()
    arrangement: NewArrangement | None = None
    ratings: Mapping[UUID, Rating] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Paused:
    """Refused: the seat waits after its shuffle for so long yet."""

    left_ms: int


Question = Unsettled | NeedsShuffle
Decision = list[Event] | RaceRefusal | Paused | Question


def decide(command: Command, state: State, outside: Outside = Outside()) -> Decision:
    """The facts that an order brings about, why it changes nothing, or what must be found out first."""
    if isinstance(state, NotDealt):
        return RaceRefusal.NOT_FOUND
    seat = _seat_of(state, command.by)
    if seat is None:
        return RaceRefusal.NOT_YOURS
    due = due_at(state, command.at, outside.outages)
    if due is not None:
        return Unsettled(due)
    at = command.at if isinstance(state, Over) else max(command.at, state.last_at)
    match command:
        case GoAway():
            return [RaceSeatAway(seat, at)] if _may_leave(state, seat) else []
        case ComeBack():
            return [RaceSeatBack(seat, at)] if _is_away(state, seat) else []
        case GiveUp():
            return _give_up(state, seat, at, outside)
        case _:
            return _on_board(command, state, seat, at, outside)


def _seat_of(state: Dealt, by: By) -> int | None:
    return by.seat if isinstance(by, Cpu) else state.race.seat_of(by)


def _is_away(state: Dealt, seat: int) -> bool:
    if isinstance(state, Countdown):
        return seat in state.away
    return isinstance(state, Racing) and state.racers[seat].away_since is not None


def _may_leave(state: Dealt, seat: int) -> bool:
    """Whether leaving says anything: not twice, and not when the seat's part is over."""
    if isinstance(state, Racing):
        racer = state.racers[seat]
        return racer.away_since is None and not is_done(state.race, racer)
    return isinstance(state, Countdown) and seat not in state.away


def _give_up(state: Dealt, seat: int, at: datetime, outside: Outside) -> Decision:
    if isinstance(state, Countdown):
        return RaceRefusal.NOT_STARTED
    if isinstance(state, Over):
        return RaceRefusal.MATCH_ENDED
    if _is_out(state.racers[seat]):
        return RaceRefusal.SEAT_OUT
    return _and_end(state, [*_back(state, seat, at), RaceSeatGaveUp(seat, at)], outside)


def _is_out(racer: Racer) -> bool:
    return racer.finished_ms is not None or racer.gave_up


def _on_board(command: BoardCommand, state: Dealt, seat: int, at: datetime, outside: Outside) -> Decision:
    admitted = _admit(command, state, seat, at)
    if not isinstance(admitted, Racing):
        return admitted
    racer, by_cpu = admitted.racers[seat], _stands_in(command, admitted, seat)
    decided: list[Event] | RaceRefusal | NeedsShuffle
    if isinstance(command, RemovePair):
        decided = _remove(racer, seat, command.first, command.second, at, by_cpu=by_cpu)
    elif isinstance(command, TouchTile):
        decided = _touch(racer, seat, command.tile, at)
    elif isinstance(command, Shuffle):
        decided = _shuffle(admitted, racer, seat, at, outside, by_cpu=by_cpu)
    else:
        decided = _hint(admitted, racer, seat, at, by_cpu=by_cpu)
    if not isinstance(decided, list):
        return decided
    back = [] if isinstance(command.by, Cpu) else _back(admitted, seat, at)
    return _and_end(admitted, [*back, *decided], outside)


def _stands_in(command: BoardCommand, state: Racing, seat: int) -> bool:
    return isinstance(command.by, Cpu) and state.racers[seat].seat.account_id is not None


def _back(state: Racing, seat: int, at: datetime) -> list[Event]:
    """Whoever plays is back."""
    return [RaceSeatBack(seat, at)] if state.racers[seat].away_since is not None else []


def _admit(command: BoardCommand, state: Dealt, seat: int, at: datetime) -> Racing | RaceRefusal | Paused:
    """The race in which the seat may act, or the first reason why not."""
    size, tiles = state.race.deal_of(seat).layout.size, _tiles_of(command)
    if any(not 0 <= tile < size for tile in tiles) or len(set(tiles)) < len(tiles):
        return RaceRefusal.TILE_OUT_OF_RANGE
    if isinstance(state, Countdown):
        return RaceRefusal.NOT_STARTED
    if isinstance(state, Over):
        return RaceRefusal.MATCH_ENDED
    racer = state.racers[seat]
    if _is_out(racer):
        return RaceRefusal.SEAT_OUT
    if command.expected_board_version != racer.board_version:
        return RaceRefusal.STALE_BOARD_VERSION
    if at < racer.pause_until:
        return Paused(max(1, (racer.pause_until - at) // MILLISECOND))
    return _may_touch(racer, tiles, is_cpu=isinstance(command.by, Cpu)) or state


def _may_touch(racer: Racer, tiles: tuple[int, ...], *, is_cpu: bool) -> RaceRefusal | None:
    if tiles and racer.touches >= TOUCHES_MAX and not is_cpu:
        return RaceRefusal.TOUCH_LIMIT
    if any(not racer.board.present >> tile & 1 for tile in tiles):
        return RaceRefusal.TILE_GONE
    return None


def _tiles_of(command: BoardCommand) -> tuple[int, ...]:
    match command:
        case RemovePair(first=first, second=second):
            return (first, second)
        case TouchTile(tile=tile):
            return (tile,)
        case _:
            return ()


def _remove(racer: Racer, seat: int, first: int, second: int, at: datetime, *, by_cpu: bool) -> list[Event]:
    board = racer.board
    for tile in (first, second):
        why = blockers(board.layout, board.present, tile)
        if why is not None:
            return [RaceTileTouched(seat, tile, why, False, at)]
    if not matches(board.matching, board.faces[first], board.faces[second]):
        return [RaceTileTouched(seat, second, None, True, at)]
    return [RacePairRemoved(seat, first, second, by_cpu, at)]


def _touch(racer: Racer, seat: int, tile: int, at: datetime) -> list[Event]:
    why = blockers(racer.board.layout, racer.board.present, tile)
    return [RaceTileTouched(seat, tile, why, False, at)]


def _shuffle(
    state: Racing, racer: Racer, seat: int, at: datetime, outside: Outside, *, by_cpu: bool
) -> list[Event] | RaceRefusal | NeedsShuffle:
    if racer.board.pair_available:
        return RaceRefusal.NOT_BLOCKED
    if shuffles_left(state.race, racer) == 0:
        return RaceRefusal.SHUFFLES_USED_UP
    found = outside.arrangement
    if found is None or found.board != racer.board:
        return NeedsShuffle(racer.board, state.race.deal_of(seat).certificate)
    return [RaceBoardShuffled(seat, found.faces, found.present, found.moved, by_cpu, at)]


def _hint(state: Racing, racer: Racer, seat: int, at: datetime, *, by_cpu: bool) -> list[Event] | RaceRefusal:
    if state.race.settings.hints == 0:
        return RaceRefusal.HINTS_OFF
    if hints_left(state.race, racer) == 0:
        return RaceRefusal.HINTS_USED_UP
    pairs = racer.board.pairs()
    return [RaceHintShown(seat, *pairs[0], by_cpu, at)] if pairs else RaceRefusal.NO_PAIR


def _and_end(state: Racing, events: list[Event], outside: Outside) -> list[Event]:
    """The facts, and the end of the race where they bring that about."""
    after: State = state
    for event in events:
        after = evolve(after, event)
    if all_done(after):
        assert isinstance(after, Racing)
        return [*events, ending(after, EndReason.ALL_DONE, events[-1].occurred_at, outside.ratings)]
    return events
