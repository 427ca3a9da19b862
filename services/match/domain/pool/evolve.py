"""Facts folded into the state of a game."""

from __future__ import annotations

from dataclasses import replace

from services.match.domain.pauses import Outage, moved_on
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.events import (
    BoardFact,
    ClockPaused,
    CountdownBegun,
    Event,
    PoolDealRevealed,
    PoolDealt,
    PoolEnded,
    PoolHintGiven,
    PoolPairRemoved,
    PoolPairUndone,
    PoolSeatEnded,
    PoolShuffled,
    PoolShuffleImpossible,
    PoolStarted,
    StakePaid,
    StakeRefused,
)
from services.match.domain.pool.state import Dealt, NotDealt, Seat, State, Taken
from services.match.domain.pool.terms import COUNTDOWN, Phase, SeatEnding, Stake


def initial() -> State:
    """The state before the first fact."""
    return NotDealt()


def evolve(state: State, event: Event) -> State:
    """The state after a fact."""
    if isinstance(event, PoolDealt):
        return _dealt(event)
    assert isinstance(state, Dealt), "the deal comes first"
    state = replace(state, last_at=max(state.last_at, event.occurred_at))
    match event:
        case StakePaid(seat=seat):
            return _with(state, seat, replace(state.seats[seat], stake=Stake.PAID))
        case StakeRefused(seat=seat, reason=reason, occurred_at=at):
            out = replace(
                state.seats[seat],
                stake=Stake.REFUSED,
                stake_refusal=reason,
                ending=SeatEnding.NOT_PLAYED,
                ended_at=at,
            )
            return _with(state, seat, out)
        case CountdownBegun(occurred_at=at):
            return replace(state, phase=Phase.COUNTDOWN, signal_at=at + COUNTDOWN)
        case PoolStarted():
            return replace(state, phase=Phase.RUNNING)
        case ClockPaused(since=since, until=until):
            moved = moved_on(state.signal_at, Outage(since, until))
            return replace(state, signal_at=moved, paused_until=until)
        case PoolSeatEnded(seat=seat, ending=ending, occurred_at=at):
            return _with(state, seat, replace(state.seats[seat], ending=ending, ended_at=at))
        case PoolEnded():
            return replace(state, phase=Phase.OVER, ended=event)
        case PoolDealRevealed():
            return state
        case _:
            return _with(state, event.seat, _played(state.seats[event.seat], event))


def _dealt(event: PoolDealt) -> Dealt:
    deal, terms, at = event.deal, event.terms, event.occurred_at
    board = PoolBoard(deal.layout, deal.faces, deal.layout.full)
    stake = Stake.NONE if terms.is_training else Stake.PENDING
    return Dealt(
        terms=terms,
        deal=deal,
        phase=Phase.RUNNING if terms.is_training else Phase.STAKING,
        dealt_at=at,
        signal_at=at,
        paused_until=at,
        last_at=at,
        seats=tuple(Seat(account_id, stake, board) for account_id in terms.accounts),
    )


def _played(seat: Seat, event: BoardFact) -> Seat:
    seat = replace(seat, board_version=seat.board_version + 1)
    match event:
        case PoolPairRemoved(first=first, second=second, worth=worth, score=score):
            taken = Taken(first, second, worth, seat.board.faces)
            board = seat.board.without(first, second)
            return replace(
                seat, board=board, score=score, taken=(*seat.taken, taken), shuffle_impossible=False
            )
        case PoolPairUndone(score=score):
            *earlier, last = seat.taken
            board = PoolBoard(
                seat.board.layout, last.faces, seat.board.present | 1 << last.first | 1 << last.second
            )
            return replace(
                seat,
                board=board,
                score=score,
                undos=seat.undos + 1,
                taken=tuple(earlier),
                shuffle_impossible=False,
            )
        case PoolShuffled(faces=faces, score=score):
            return replace(seat, board=seat.board.showing(faces), score=score, shuffles=seat.shuffles + 1)
        case PoolShuffleImpossible():
            return replace(seat, shuffle_impossible=True)
        case PoolHintGiven(score=score):
            return replace(seat, score=score, hints=seat.hints + 1)


def _with(state: Dealt, number: int, seat: Seat) -> Dealt:
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))
