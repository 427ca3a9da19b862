"""Games of the pool that are over on the wire, told step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from libs.pb.sparrow.match.v1 import history_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2, pool_pb2
from libs.runtime.names import match_name, player_name
from services.match.domain.history.pools import PoolStep, PoolStory
from services.match.domain.pool import events as ev
from services.match.domain.pool.events import PoolEnded
from services.match.domain.pool.state import Dealt, seat_of
from services.match.domain.pool.terms import USES_MAX
from services.match.wire.boards import timestamp
from services.match.wire.layouts import layout_to_wire
from services.match.wire.pool_codec import ENDINGS, SEAT_ENDINGS, pair


def pool_replay(game_id: UUID, story: PoolStory, begin: int, size: int) -> pb.MatchReplay:
    """A page of a game from its step `begin` on; the first one tells the board and the results too."""
    game, deal = story.game, story.game.deal
    replay = pb.MatchReplay(
        name=match_name(game_id),
        mode=match_pb2.MODE_POOL,
        round_number=1,
        round_count=1,
        start_time=timestamp(story.since),
        steps=[_step(game, step) for step in story.steps[begin : begin + size]],
        pool_ending=ENDINGS[_ended(game).ending],
        stake=game.terms.stake,
    )
    if not begin:
        replay.layout.CopyFrom(layout_to_wire(deal.layout, deal.layout_title))
        replay.faces.extend(_shown(enumerate(deal.faces)))
        replay.seats.extend(
            pb.SeatReplay(player=player_name(seat.account_id), pool_result=pool_result(game, number))
            for number, seat in enumerate(game.seats)
        )
    return replay


def played_pool(game_id: UUID, game: Dealt, account_id: UUID) -> pb.PlayedGame:
    """A game as it stands in the list of one who played it."""
    number = seat_of(game, account_id)
    assert number is not None, "a game is listed for those who played it"
    ended = _ended(game)
    pool = pb.PlayedPool(
        own=pool_result(game, number),
        seat_count=len(game.seats),
        stake=game.terms.stake,
        ending=ENDINGS[ended.ending],
    )
    return pb.PlayedGame(
        name=match_name(game_id),
        mode=match_pb2.MODE_POOL,
        start_time=timestamp(game.dealt_at),
        end_time=timestamp(ended.occurred_at),
        pool=pool,
    )


def pool_result(game: Dealt, number: int) -> pool_pb2.PoolSeatResult:
    """How a seat ended."""
    result = _ended(game).seats[number]
    return pool_pb2.PoolSeatResult(
        player=player_name(game.seats[number].account_id),
        place=result.place,
        score=result.score,
        ending=SEAT_ENDINGS[result.ending],
        end_time=timestamp(result.ended_at),
        pairs_left=result.pairs_left,
        payout=result.payout,
    )


def _ended(game: Dealt) -> PoolEnded:
    assert game.ended is not None, "only what is over is told"
    return game.ended


def _shown(faces: Iterable[tuple[int, str]]) -> Iterator[match_pb2.VisibleFace]:
    return (match_pb2.VisibleFace(tile=tile, face=face) for tile, face in faces)


def _step(game: Dealt, step: PoolStep) -> pb.Step:
    event = step.event
    message = pb.Step(
        player=player_name(game.seats[event.seat].account_id),
        seat=event.seat,
        at_ms=step.at_ms,
        round_score=step.score,
        tiles_left=step.tiles_left,
    )
    match event:
        case ev.PoolPairRemoved(first=first, second=second, worth=worth):
            message.pair.CopyFrom(
                pb.StepPair(
                    pair=pair(first, second),
                    faces=step.faces,
                    worth=worth,
                    took_ms=step.took_ms,
                    value=step.value,
                    pairs_on_board=step.pairs_on_board,
                )
            )
        case ev.PoolPairUndone(first=first, second=second, charge=charge):
            message.undo.CopyFrom(
                pb.StepUndo(
                    pair=pair(first, second),
                    faces=_shown(step.shown),
                    charge=charge,
                    worth=step.undone_worth,
                    left=USES_MAX - step.undos,
                )
            )
        case ev.PoolShuffled(charge=charge):
            left = USES_MAX - step.shuffles
            message.shuffle.CopyFrom(pb.StepShuffle(faces=_shown(step.shown), charge=charge, left=left))
        case ev.PoolShuffleImpossible():
            message.shuffle.CopyFrom(pb.StepShuffle(impossible=True, left=USES_MAX - step.shuffles))
        case ev.PoolHintGiven(first=first, second=second, charge=charge):
            left = USES_MAX - step.hints
            message.hint.CopyFrom(
                pb.StepHint(pair=pair(first, second), faces=step.faces, charge=charge, left=left)
            )
        case ev.PoolSeatEnded(ending=ending):
            message.ended = SEAT_ENDINGS[ending]
    return message
