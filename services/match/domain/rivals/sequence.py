"""From round to round: whether another follows, after which break, and what the rounds bring together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchEnd,
    MatchRoundEnded,
    quick_match_ended,
    tournament_match_ended,
)
from services.match.domain.rivals.placing import ARENA_PRIZES, places, shared_prizes
from services.match.domain.rivals.stage import (
    ARENA,
    COUNTDOWN,
    ONLY_ROUND,
    TOURNAMENT,
    PlayedRound,
    Stage,
    TournamentStage,
)
from services.match.domain.rivals.state import Countdown, Dealt, Over, State
from services.match.domain.rivals.terms import OutReason, reveal_of

ARENA_ROUNDS: Final = 3
BREAK: Final = timedelta(seconds=10)
"""From the end of a round to the signal of the next one; its last three seconds are the countdown."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a seat stands by the rounds that are over."""

    account_id: UUID
    place: int
    score: int
    round_scores: tuple[int, ...]
    left: bool
    points: int
    """Account points; 0 until the match is over."""


def first_stage(mode: str, *, private: bool = False) -> Stage:
    """The stage that a match of a mode begins with."""
    if mode == ARENA:
        return Stage(mode=mode, rounds=ARENA_ROUNDS, private=private)
    return replace(ONLY_ROUND, private=private)


def table_stage(laid_down: TournamentStage) -> Stage:
    """The stage of the only round at a table of a tournament."""
    return Stage(mode=TOURNAMENT, tournament=laid_down)


def goes_on(state: State) -> bool:
    """Whether a round is over and another one follows: unless it was the last, or all have left."""
    if not isinstance(state, Over):
        return False
    stage = state.round.stage
    return stage.number < stage.rounds and len(left_seats(state)) < len(state.players)


def left_seats(state: Dealt) -> tuple[int, ...]:
    """The seats that have left the match, ascending."""
    if isinstance(state, Countdown):
        return state.left
    return tuple(seat for seat, player in enumerate(state.players) if player.out is OutReason.LEFT)


def next_stage(over: Over, now: datetime) -> Stage:
    """The round after this one, dealt at `now`.

    The signal comes when the break has passed since the end; a round that is dealt late is counted down all
    the same.
    """
    stage = over.round.stage
    return Stage(
        mode=stage.mode,
        number=stage.number + 1,
        rounds=stage.rounds,
        countdown=max(COUNTDOWN, over.ended.occurred_at + BREAK - now),
        left=left_seats(over),
        earlier=played_rounds(over),
        board_versions=tuple(player.board.board_version + 1 for player in over.players),
        private=stage.private,
    )


def played_rounds(state: Dealt) -> tuple[PlayedRound, ...]:
    """The rounds of the match that are over, the first one first."""
    earlier = state.round.stage.earlier
    if not isinstance(state, Over):
        return earlier
    played = PlayedRound(state.ended.reason, state.ended.seats, reveal_of(state.round.deal))
    return (*earlier, played)


def standings(state: Dealt) -> tuple[Standing, ...]:
    """By seat; points only where the match is over."""
    played = played_rounds(state)
    accounts = state.round.accounts
    round_scores = tuple(tuple(each.scores[seat] for each in played) for seat in range(len(accounts)))
    scores = tuple(map(sum, round_scores))
    is_paid = isinstance(state, Over) and not goes_on(state) and not state.round.stage.private
    points = shared_prizes(scores, ARENA_PRIZES) if is_paid else (0,) * len(accounts)
    left = left_seats(state)
    return tuple(
        Standing(account_id, place, scores[seat], round_scores[seat], seat in left, points[seat])
        for seat, (account_id, place) in enumerate(zip(accounts, places(scores), strict=True))
    )


def round_fact(over: Over, round_id: UUID, next_round_id: UUID | None) -> MatchRoundEnded:
    """What the end of one of several rounds is for its match."""
    played, ended = over.round, over.ended
    return MatchRoundEnded(
        played.match_id,
        round_id,
        played.stage.number,
        ended.reason,
        played.accounts,
        ended.seats,
        next_round_id,
        ended.occurred_at,
    )


def match_end(over: Over) -> MatchEnd:
    """What a match has come to whose last round is over."""
    played, ended = over.round, over.ended
    assert not goes_on(over), "another round follows"
    if played.stage.mode == TOURNAMENT:
        return tournament_match_ended(over)
    if played.stage.mode != ARENA:
        return quick_match_ended(played, ended)
    told = standings(over)
    return ArenaEnded(
        played.match_id,
        played.accounts,
        tuple(seat.place for seat in told),
        tuple(seat.score for seat in told),
        tuple(seat.round_scores for seat in told),
        tuple(seat.points for seat in told),
        ended.occurred_at,
    )
