"""A game of the pool run again: its events give the orders and the instants, the rules decide anew.

Shuffles are made anew from the seed. Which of the best pairs a hint named was asked of a solver and is taken
as stored, where no pair of a higher value was available; so is what the ledger said about a stake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.moves import available_pairs
from services.match.domain.pauses import Outage
from services.match.domain.pool import events as ev
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.commands import (
    Command,
    EndGame,
    Hint,
    LeavePool,
    RefuseStake,
    RemovePair,
    RestartTraining,
    Shuffle,
    TakeStake,
    Undo,
)
from services.match.domain.pool.dealing import deal_pool, shuffle
from services.match.domain.pool.decide import Hinted, Laid, NeedsHint, NeedsShuffle, Outside, decide
from services.match.domain.pool.evolve import evolve, initial
from services.match.domain.pool.settle import settle
from services.match.domain.pool.state import Dealt
from services.match.domain.pool.terms import MATCHING, PAIRING, Phase, SeatEnding, StakeRefusal
from services.match.domain.pool.values import pair_value
from services.match.wire.pool_codec import PoolCodec

_CODEC: Final = PoolCodec()


@dataclass(frozen=True)
class RerunPool:
    """The game that it came to, and where it first came otherwise than it is stored, if it did."""

    state: Dealt
    difference: str | None


def rerun_pool(events: Sequence[ev.Event]) -> RerunPool:
    """Run a finished game again; `events` begin with its dealing."""
    dealt = events[0]
    state = evolve(initial(), dealt)
    assert isinstance(dealt, ev.PoolDealt)
    assert isinstance(state, Dealt)
    if deal_pool(dealt.deal.seed, dealt.deal.nonce) != dealt.deal:
        return RerunPool(state, "event 1: layout and faces do not follow from the seed")
    outages: tuple[Outage, ...] = ()
    done = 1
    while done < len(events):
        event = events[done]
        if isinstance(event, ev.ClockPaused):
            outages = (*outages, Outage(event.since, event.until))
        following = events[done + 1] if done + 1 < len(events) else None
        made = _made(state, event, following, outages)
        if not made:
            return RerunPool(state, f"event {done + 1}: nothing brings about {event}")
        for each, stored in zip(made, events[done:], strict=False):
            done += 1
            if _CODEC.encode(each) != _CODEC.encode(stored) or each.occurred_at != stored.occurred_at:
                return RerunPool(state, f"event {done}: {each} comes out, stored is {stored}")
            after = evolve(state, each)
            assert isinstance(after, Dealt), "what was dealt stays dealt"
            state = after
    return RerunPool(state, None if state.phase is Phase.OVER else f"event {done}: the game does not end")


def _made(
    state: Dealt, event: ev.Event, following: ev.Event | None, outages: tuple[Outage, ...]
) -> list[ev.Event]:
    """What the order behind an event brings about, or what is due at its instant; nothing on a refusal."""
    command = _order(state, event, following)
    if command is None:
        return settle(state, event.occurred_at, outages)
    outside = Outside(outages)
    while True:
        match decided := decide(command, state, outside):
            case NeedsShuffle(board=board, seed=seed, number=number):
                outside = Outside(outages, laid=Laid(decided, shuffle(board, seed, number)))
            case NeedsHint(board=board):
                if not isinstance(event, ev.PoolHintGiven) or not _is_best(board, event):
                    return []
                outside = Outside(outages, hinted=Hinted(decided, (event.first, event.second)))
            case list():
                return decided
            case _:
                return []


def _order(  # noqa: C901 one case per event
    state: Dealt, event: ev.Event, following: ev.Event | None
) -> Command | None:
    """The order that an event answers; None for what deadlines bring about."""
    seat = getattr(event, "seat", None)
    if seat is None or not 0 <= seat < len(state.seats):
        return None
    account, at = state.seats[seat].account_id, event.occurred_at
    version = state.seats[seat].board_version
    match event:
        case ev.StakePaid():
            return TakeStake(account, at)
        case ev.StakeRefused(reason=StakeRefusal.TOO_FEW_CHIPS):
            return RefuseStake(account, StakeRefusal.TOO_FEW_CHIPS, at)
        case ev.PoolPairRemoved(first=first, second=second):
            return RemovePair(account, first, second, version, at)
        case ev.PoolPairUndone():
            return Undo(account, version, at)
        case ev.PoolShuffled() | ev.PoolShuffleImpossible():
            return Shuffle(account, version, at)
        case ev.PoolHintGiven():
            return Hint(account, version, at)
        case ev.PoolSeatEnded(ending=SeatEnding.ENDED):
            return EndGame(account, at)
        case ev.PoolSeatEnded(ending=SeatEnding.LEFT) if not state.terms.is_training:
            return LeavePool(account, at)
        case ev.PoolSeatEnded(ending=SeatEnding.LEFT):
            return _restart(state, following, event)
        case _:
            return None


def _restart(state: Dealt, following: ev.Event | None, left: ev.PoolSeatEnded) -> RestartTraining | None:
    """The restart that ended a game of training: which game came next is said by its end."""
    if not isinstance(following, ev.PoolEnded) or following.next_game_id is None:
        return None
    return RestartTraining(state.seats[left.seat].account_id, following.next_game_id, left.occurred_at)


def _is_best(board: PoolBoard, hint: ev.PoolHintGiven) -> bool:
    """Whether a pair is available and no other one has a higher value."""
    worth = {
        pair: pair_value(board.faces[pair[0]], board.faces[pair[1]])
        for pair in available_pairs(board.layout, board.faces, board.present, MATCHING, PAIRING)
    }
    named = (min(hint.first, hint.second), max(hint.first, hint.second))
    return named in worth and worth[named] == max(worth.values())
