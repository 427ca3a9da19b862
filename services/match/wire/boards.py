"""What a seat may see: its board and what a command changed. Faces of tiles never uncovered stay here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Covered
from libs.runtime.names import match_name
from services.match import events as ev
from services.match.domain.state import Begun, Cleared, Ending, Left, Restarted, Seat, ending_of
from services.match.wire.layouts import layout_to_wire


def timestamp(at: datetime) -> Timestamp:
    """An instant on the wire, to the microsecond."""
    message = Timestamp()
    message.FromDatetime(at)
    return message


def board_message(seat: Seat, layout_title: str) -> pb.Board:
    """The board as its seat may see it."""
    position = seat.position
    return pb.Board(
        layout=layout_to_wire(position.layout, layout_title),
        present=bits(position.present),
        faces=visible(seat, seat.known & position.present),
        lifted=seat.lifted,
        free_tiles=free_tiles(seat),
        pair_available=position.pair_available,
        board_version=seat.board_version,
    )


def update_message(events: Sequence[ev.Event], state: Begun) -> pb.MatchUpdate:
    """What the events of one command changed; `state` is the state right after them."""
    seat, first, ending = state.seat, events[0], ending_of(state)
    message = pb.MatchUpdate(
        time=timestamp(first.occurred_at),
        uncovered=visible(seat, seat.fresh & seat.position.present),
        lifted=seat.lifted,
        free_tiles=free_tiles(seat),
        pair_available=seat.position.pair_available,
        board_version=seat.board_version,
        tiles_left=seat.position.tiles_left,
        state=match_state(ending),
        result=result_message(ending),
        next_match=next_match(ending),
    )
    match first:
        case ev.TileLifted(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_LIFTED, tile
        case ev.TilePutBack(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_PUT_BACK, tile
        case ev.TouchNotSame(tile=tile):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_NOT_SAME, tile
        case ev.PairRemoved(first=lifted, second=partner):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_PAIRED, partner
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=lifted, second=partner))
        case ev.JokerUsed(first=lifted, second=partner):
            message.outcome = pb.TOUCH_OUTCOME_JOKER
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=lifted, second=partner))
        case ev.TouchBlocked(tile=tile, why=why):
            message.outcome, message.tile = pb.TOUCH_OUTCOME_BLOCKED, tile
            message.blockers.CopyFrom(
                pb.Blockers(covered_by=why.by)
                if isinstance(why, Covered)
                else pb.Blockers(left=why.left, right=why.right)
            )
        case ev.ClockPaused():
            message.start_time.CopyFrom(timestamp(state.clock_since))
        case _:
            pass  # an ending without a touch, or a joker that is not decided yet
    if state.jokers.requested:
        message.own_round.CopyFrom(own_jokers(state))
    return message


def own_jokers(state: Begun) -> pb.OwnRound:
    """The jokers of an attempt."""
    jokers = state.jokers
    return pb.OwnRound(jokers_used=jokers.used, joker_pending=jokers.pending is not None)


def match_state(ending: Ending | None) -> pb.MatchState.ValueType:
    """Where the match stands."""
    match ending:
        case None:
            return pb.MATCH_STATE_RUNNING
        case Cleared():
            return pb.MATCH_STATE_CLEARED
        case Left():
            return pb.MATCH_STATE_LEFT
        case Restarted():
            return pb.MATCH_STATE_RESTARTED


def result_message(ending: Ending | None) -> pb.LevelResult | None:
    """What clearing the level brought; None unless it was cleared."""
    if not isinstance(ending, Cleared):
        return None
    return pb.LevelResult(
        elapsed_ms=ending.elapsed_ms,
        place=ending.place,
        first_completion_points=ending.first_completion_points,
        time_bonus_points=ending.time_bonus_points,
    )


def next_match(ending: Ending | None) -> str:
    """The name of the attempt that followed a restart, else empty."""
    return match_name(ending.next_attempt_id) if isinstance(ending, Restarted) else ""


def visible(seat: Seat, tiles: int) -> Iterator[pb.VisibleFace]:
    """Faces of tiles that the seat knows: the one place where faces leave for a client."""
    assert not tiles & ~seat.known, "a face is sent only once its tile was uncovered"
    faces = seat.position.faces
    return (pb.VisibleFace(tile=tile, face=faces[tile]) for tile in bits(tiles))


def free_tiles(seat: Seat) -> Iterator[int]:
    """The tiles that are free for this seat now."""
    return bits(seat.position.free(seat.lifted))
