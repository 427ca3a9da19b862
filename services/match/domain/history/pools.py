"""The story of a game of the pool, out of its events: what every pair was worth, and what help cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from libs.rules.solitaire.bitset import bits
from libs.rules.tiles import Face
from services.match.domain.pool.events import (
    BoardFact,
    Event,
    PoolHintGiven,
    PoolPairRemoved,
    PoolPairUndone,
    PoolSeatEnded,
    PoolShuffled,
)
from services.match.domain.pool.evolve import evolve, initial
from services.match.domain.pool.state import Dealt, State
from services.match.domain.pool.terms import Phase
from services.match.domain.pool.values import pair_value


@dataclass(frozen=True, slots=True)
class PoolStep:
    """One thing that a seat did, or the end of its game, and its board and score after it."""

    event: BoardFact | PoolSeatEnded
    at_ms: int
    """Since the signal, pauses left out."""
    faces: tuple[Face, ...]
    """Of the two tiles of a pair or a hint."""
    took_ms: int
    """Of a pair: since the seat's pair before, or the signal."""
    value: int
    """Of a pair: the value of its set."""
    pairs_on_board: int
    """Before it."""
    undone_worth: int
    """Of an undo: what the pair had brought."""
    shown: tuple[tuple[int, Face], ...]
    """After a shuffle or an undo: the tiles that are left, with their faces."""
    score: int
    tiles_left: int
    undos: int
    shuffles: int
    hints: int
    """Used so far."""


@dataclass(frozen=True, slots=True)
class PoolStory:
    """A game of the pool from the signal to its end."""

    game: Dealt
    steps: tuple[PoolStep, ...]

    @property
    def since(self) -> datetime:
        """The signal, moved on by pauses; of a match that never came to it, its making."""
        return self.game.signal_at


def pool_story(events: Iterable[Event]) -> PoolStory:
    """Tell a game that is over."""
    state: State = initial()
    steps: list[PoolStep] = []
    last_ms: dict[int, int] = {}
    for event in events:
        before, state = state, evolve(state, event)
        if isinstance(event, BoardFact | PoolSeatEnded):
            assert isinstance(before, Dealt)
            assert isinstance(state, Dealt)
            at_ms = before.clock_ms(event.occurred_at)
            steps.append(_step(before, event, state, at_ms, at_ms - last_ms.get(event.seat, 0)))
            if isinstance(event, PoolPairRemoved):
                last_ms[event.seat] = at_ms
    assert isinstance(state, Dealt)
    assert state.phase is Phase.OVER, "only what is over is told"
    return PoolStory(state, tuple(steps))


def _step(
    before: Dealt, event: BoardFact | PoolSeatEnded, after: Dealt, at_ms: int, since_last_ms: int
) -> PoolStep:
    was, now = before.seats[event.seat], after.seats[event.seat]
    board, is_pair = was.board, isinstance(event, PoolPairRemoved)
    faces: tuple[Face, ...] = ()
    if isinstance(event, PoolPairRemoved | PoolHintGiven):
        faces = (board.faces[event.first], board.faces[event.second])
    lies_anew = isinstance(event, PoolPairUndone | PoolShuffled)
    return PoolStep(
        event,
        at_ms,
        faces,
        since_last_ms if is_pair else 0,
        pair_value(*faces) if is_pair else 0,
        board.pairs_left,
        was.taken[-1].worth if isinstance(event, PoolPairUndone) else 0,
        tuple((tile, now.board.faces[tile]) for tile in bits(now.board.present)) if lies_anew else (),
        now.score,
        now.board.present.bit_count(),
        now.undos,
        now.shuffles,
        now.hints,
    )
