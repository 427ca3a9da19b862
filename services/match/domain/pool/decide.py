"""Orders judged: the facts they bring about, why they change nothing, or what must be found out first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from libs.rules.solitaire.shuffle import NoPairPossible, ShuffledWithPair
from services.match.domain.pauses import Outage
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.commands import (
    BoardCommand,
    Command,
    EndGame,
    LeavePool,
    RefuseStake,
    RemovePair,
    RestartTraining,
    Shuffle,
    TakeStake,
    Undo,
)
from services.match.domain.pool.events import (
    Event,
    PoolHintGiven,
    PoolPairRemoved,
    PoolPairUndone,
    PoolSeatEnded,
    PoolShuffled,
    PoolShuffleImpossible,
    StakePaid,
    StakeRefused,
)
from services.match.domain.pool.evolve import evolve
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.settle import due_at, ending, followed
from services.match.domain.pool.state import Dealt, NotDealt, Seat, State, seat_of
from services.match.domain.pool.terms import (
    TOUCHES_MAX,
    USES_MAX,
    Phase,
    PoolEnding,
    SeatEnding,
    Stake,
)
from services.match.domain.pool.values import charge, pair_worth


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Deadlines have passed: settle first, then ask again."""

    due: datetime


@dataclass(frozen=True, slots=True)
class NeedsShuffle:
    """The board is to be shuffled, for the number-th time (from 1), by chance out of the deal's seed."""

    board: PoolBoard
    seed: bytes
    number: int


@dataclass(frozen=True, slots=True)
class NeedsHint:
    """The best pair of the board is wanted."""

    board: PoolBoard


@dataclass(frozen=True, slots=True)
class Laid:
    """The answer to NeedsShuffle."""

    asked: NeedsShuffle
    answer: ShuffledWithPair | NoPairPossible


@dataclass(frozen=True, slots=True)
class Hinted:
    """The answer to NeedsHint: an available pair of the highest value, None without pairs."""

    asked: NeedsHint
    pair: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Outside:
    """What was found out between two judgements of the same command."""

    outages: tuple[Outage, ...] = ()
    laid: Laid | None = None
    hinted: Hinted | None = None


Question = Unsettled | NeedsShuffle | NeedsHint
Decision = list[Event] | PoolRefusal | Question


def decide(command: Command, state: State, outside: Outside = Outside()) -> Decision:
    """Judge an order. Deadlines that have passed come first."""
    if isinstance(state, NotDealt):
        return PoolRefusal.NOT_FOUND
    seat = seat_of(state, command.account_id)
    if seat is None:
        return PoolRefusal.NOT_YOURS
    due = due_at(state, command.at, outside.outages)
    if due is not None:
        return Unsettled(due)
    at = max(command.at, state.last_at)
    match command:
        case TakeStake() | RefuseStake():
            return _stake(command, state, seat, at)
        case EndGame():
            return _end_game(state, seat, at)
        case LeavePool():
            return _leave(state, seat, at)
        case RestartTraining():
            return _restart(command, state, seat, at)
        case _:
            return _play(command, state, seat, at, outside)


def _stake(command: TakeStake | RefuseStake, state: Dealt, seat: int, at: datetime) -> list[Event]:
    """What the ledger's answer brings: nothing where the stake is decided already."""
    if state.seats[seat].stake is not Stake.PENDING:
        return []
    if isinstance(command, TakeStake):
        return followed(state, [StakePaid(seat, at)], at)
    return followed(state, [StakeRefused(seat, command.reason, at)], at)


def _admit(state: Dealt, seat: int) -> PoolRefusal | None:
    """The first reason why the seat may do nothing in its game now."""
    if state.seats[seat].stake is Stake.REFUSED:
        return PoolRefusal.SEAT_OUT
    if state.phase in {Phase.STAKING, Phase.COUNTDOWN}:
        return PoolRefusal.NOT_STARTED
    if state.phase is Phase.OVER:
        return PoolRefusal.MATCH_ENDED
    return PoolRefusal.SEAT_OUT if state.seats[seat].ending is not None else None


def _end_game(state: Dealt, seat: int, at: datetime) -> Decision:
    """The score stays. Refused while a shuffle is left, unless it was found impossible on this board."""
    refusal = _admit(state, seat)
    if refusal is not None:
        return refusal
    own = state.seats[seat]
    if own.shuffles < USES_MAX and not own.shuffle_impossible:
        return PoolRefusal.SHUFFLE_LEFT
    return followed(state, [PoolSeatEnded(seat, SeatEnding.ENDED, at)], at)


def _leave(state: Dealt, seat: int, at: datetime) -> Decision:
    """The score stays; the others go on."""
    if state.terms.is_training:
        return PoolRefusal.NOT_IN_MODE
    return _admit(state, seat) or followed(state, [PoolSeatEnded(seat, SeatEnding.LEFT, at)], at)


def _restart(command: RestartTraining, state: Dealt, seat: int, at: datetime) -> Decision:
    """Another game takes the place of this one, at any time while it is played."""
    if not state.terms.is_training:
        return PoolRefusal.NOT_IN_MODE
    if state.phase is Phase.OVER:
        return PoolRefusal.MATCH_ENDED
    ended = PoolSeatEnded(seat, SeatEnding.LEFT, at)
    after = evolve(state, ended)
    assert isinstance(after, Dealt)
    return [ended, *ending(after, PoolEnding.RESTARTED, at, command.next_game_id)]


def _play(command: BoardCommand, state: Dealt, seat: int, at: datetime, outside: Outside) -> Decision:
    if isinstance(command, RemovePair):
        size = state.deal.layout.size
        if not (0 <= command.first < size and 0 <= command.second < size) or command.first == command.second:
            return PoolRefusal.TILE_OUT_OF_RANGE
    refusal = _admit(state, seat)
    if refusal is not None:
        return refusal
    own = state.seats[seat]
    if command.expected_board_version != own.board_version:
        return PoolRefusal.STALE_BOARD_VERSION
    if own.board_version >= TOUCHES_MAX:
        return PoolRefusal.TOUCH_LIMIT
    decided: Decision
    match command:
        case RemovePair(first=first, second=second):
            decided = _remove(own, seat, first, second, at)
        case Undo():
            decided = _undo(own, seat, at)
        case Shuffle():
            decided = _shuffle(state, own, seat, at, outside.laid)
        case _:
            decided = _hint(own, seat, at, outside.hinted)
    return _and_end(state, seat, decided, at) if isinstance(decided, list) else decided


def _remove(own: Seat, seat: int, first: int, second: int, at: datetime) -> list[Event] | PoolRefusal:
    board = own.board
    if not (board.has(first) and board.has(second)):
        return PoolRefusal.TILE_GONE
    if board.why_blocked(first) is not None or board.why_blocked(second) is not None:
        return PoolRefusal.TILE_BLOCKED
    if not board.match(first, second):
        return PoolRefusal.NOT_A_PAIR
    worth = pair_worth(board.faces[first], board.faces[second], board.pairs_left)
    return [PoolPairRemoved(seat, first, second, worth, own.score + worth, at)]


def _undo(own: Seat, seat: int, at: datetime) -> list[Event] | PoolRefusal:
    if own.undos >= USES_MAX:
        return PoolRefusal.UNDOS_USED_UP
    if not own.taken:
        return PoolRefusal.NOTHING_TO_UNDO
    last, cost = own.taken[-1], charge(own.board.pairs_left)
    return [PoolPairUndone(seat, last.first, last.second, cost, own.score - last.worth - cost, at)]


def _shuffle(state: Dealt, own: Seat, seat: int, at: datetime, laid: Laid | None) -> Decision:
    if own.shuffles >= USES_MAX:
        return PoolRefusal.SHUFFLES_USED_UP
    asked = NeedsShuffle(own.board, state.deal.seed, own.shuffles + 1)
    if laid is None or laid.asked != asked:
        return asked
    if isinstance(laid.answer, NoPairPossible):
        return [PoolShuffleImpossible(seat, at)]
    cost = charge(own.board.pairs_left)
    return [PoolShuffled(seat, laid.answer.faces, cost, own.score - cost, at)]


def _hint(own: Seat, seat: int, at: datetime, hinted: Hinted | None) -> Decision:
    if own.hints >= USES_MAX:
        return PoolRefusal.HINTS_USED_UP
    if not own.board.pair_available:
        return PoolRefusal.NO_PAIR_AVAILABLE
    asked = NeedsHint(own.board)
    if hinted is None or hinted.asked != asked:
        return asked
    assert hinted.pair is not None, "a pair is available"
    first, second = hinted.pair
    cost = charge(own.board.pairs_left)
    return [PoolHintGiven(seat, first, second, cost, own.score - cost, at)]


def _and_end(state: Dealt, seat: int, events: list[Event], at: datetime) -> list[Event]:
    """The facts, and the end of the seat's game where they bring that about."""
    after: State = state
    for event in events:
        after = evolve(after, event)
    assert isinstance(after, Dealt)
    own = after.seats[seat]
    if not own.board.present:
        return followed(state, [*events, PoolSeatEnded(seat, SeatEnding.CLEARED, at)], at)
    if own.is_blocked:
        return followed(state, [*events, PoolSeatEnded(seat, SeatEnding.BLOCKED, at)], at)
    return events
