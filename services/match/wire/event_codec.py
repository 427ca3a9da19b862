"""Events to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.board import Closed, Covered
from libs.rules.tiles import Face
from libs.runtime.errors import Refused
from services.match import events as ev
from services.match.commands import Deal
from services.match.wire.joker_codec import joker_given_up, joker_message, joker_requested, joker_used
from services.match.wire.layouts import layout_from_wire, layout_to_wire
from services.match.wire.pause_codec import clock_paused, pause_message

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.AttemptStarted: (Part.MOVES, "sparrow.match.attempt_started.v1"),
    ev.TileLifted: (Part.MOVES, "sparrow.match.tile_lifted.v1"),
    ev.TilePutBack: (Part.MOVES, "sparrow.match.tile_put_back.v1"),
    ev.PairRemoved: (Part.MOVES, "sparrow.match.pair_removed.v1"),
    ev.TouchNotSame: (Part.MOVES, "sparrow.match.touch_not_same.v1"),
    ev.TouchBlocked: (Part.MOVES, "sparrow.match.touch_blocked.v1"),
    ev.ClockPaused: (Part.MOVES, "sparrow.match.clock_paused.v1"),
    ev.JokerRequested: (Part.MOVES, "sparrow.match.joker_requested.v1"),
    ev.JokerUsed: (Part.MOVES, "sparrow.match.joker_used.v1"),
    ev.JokerGivenUp: (Part.MOVES, "sparrow.match.joker_given_up.v1"),
    ev.AttemptCleared: (Part.FACTS, "sparrow.match.attempt_cleared.v1"),
    ev.AttemptLeft: (Part.FACTS, "sparrow.match.attempt_left.v1"),
    ev.AttemptRestarted: (Part.FACTS, "sparrow.match.attempt_restarted.v1"),
}


OTHER_MODES: Final = ("sparrow.match.pool_", "sparrow.match.race_")
"""How the types of games begin that have streams and services of their own."""
MATCH_CREATED: Final = "sparrow.match.match_created.v1"
"""How the stream of a match of several seats begins."""


class EventCodec:
    """The codec of this service's streams."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_IN_MODE for that of another kind of game.

        Raises Refused NOT_FOUND for that of a match of several seats: who asks here looked for the match
        before it began, and is answered as a moment before. Raises KeyError for a type that no release of
        ours has written.
        """
        if recorded.type.startswith(OTHER_MODES):
            raise Refused("NOT_IN_MODE", "a game of this mode has a service of its own")
        if recorded.type == MATCH_CREATED:
            raise Refused("NOT_FOUND", "the match had not begun")
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def to_message(event: ev.Event) -> Message:  # noqa: C901 one case per event
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.AttemptStarted(account_id=account_id, deal=deal):
            return pb.AttemptStarted(
                account_id=str(account_id),
                level=deal.level,
                catalogue_version=deal.catalogue_version,
                hard=deal.hard,
                layout=layout_to_wire(deal.layout, deal.layout_title),
                faces=deal.faces,
            )
        case ev.TileLifted(tile=tile, replaced=replaced):
            return pb.TileLifted(tile=tile, replaced=replaced)
        case ev.TilePutBack(tile=tile):
            return pb.TilePutBack(tile=tile)
        case ev.PairRemoved(first=first, second=second):
            return pb.PairRemoved(pair=solitaire_pb2.TilePair(first=first, second=second))
        case ev.TouchNotSame(tile=tile):
            return pb.TouchNotSame(tile=tile)
        case ev.TouchBlocked():
            return _blocked_message(event)
        case ev.ClockPaused():
            return pause_message(event)
        case ev.JokerRequested() | ev.JokerUsed() | ev.JokerGivenUp():
            return joker_message(event)
        case ev.AttemptCleared():
            return pb.AttemptCleared(
                account_id=str(event.account_id),
                level=event.level,
                catalogue_version=event.catalogue_version,
                elapsed_ms=event.elapsed_ms,
                place=event.place,
                first_completion_points=event.first_completion_points,
                time_bonus_points=event.time_bonus_points,
            )
        case ev.AttemptLeft(account_id=account_id, level=level):
            return pb.AttemptLeft(account_id=str(account_id), level=level)
        case ev.AttemptRestarted(account_id=account_id, level=level, next_attempt_id=next_id):
            return pb.AttemptRestarted(account_id=str(account_id), level=level, next_attempt_id=str(next_id))
    raise AssertionError(f"no message is laid down for {event}")


def _blocked_message(event: ev.TouchBlocked) -> pb.TouchBlocked:
    if isinstance(event.why, Covered):
        return pb.TouchBlocked(tile=event.tile, covered_by=event.why.by)
    return pb.TouchBlocked(tile=event.tile, left=event.why.left, right=event.why.right)


def _started(data: bytes, at: datetime) -> ev.Event:
    message = pb.AttemptStarted.FromString(data)
    deal = Deal(
        level=message.level,
        catalogue_version=message.catalogue_version,
        hard=message.hard,
        layout=layout_from_wire(message.layout),
        layout_title=message.layout.title,
        faces=tuple(Face(face) for face in message.faces),
    )
    return ev.AttemptStarted(UUID(message.account_id), deal, at)


def _lifted(data: bytes, at: datetime) -> ev.Event:
    message = pb.TileLifted.FromString(data)
    return ev.TileLifted(message.tile, message.replaced if message.HasField("replaced") else None, at)


def _put_back(data: bytes, at: datetime) -> ev.Event:
    return ev.TilePutBack(pb.TilePutBack.FromString(data).tile, at)


def _removed(data: bytes, at: datetime) -> ev.Event:
    pair = pb.PairRemoved.FromString(data).pair
    return ev.PairRemoved(pair.first, pair.second, at)


def _not_same(data: bytes, at: datetime) -> ev.Event:
    return ev.TouchNotSame(pb.TouchNotSame.FromString(data).tile, at)


def _blocked(data: bytes, at: datetime) -> ev.Event:
    message = pb.TouchBlocked.FromString(data)
    if message.covered_by:
        return ev.TouchBlocked(message.tile, Covered(tuple(message.covered_by)), at)
    return ev.TouchBlocked(message.tile, Closed(tuple(message.left), tuple(message.right)), at)


def _cleared(data: bytes, at: datetime) -> ev.Event:
    message = pb.AttemptCleared.FromString(data)
    return ev.AttemptCleared(
        account_id=UUID(message.account_id),
        level=message.level,
        catalogue_version=message.catalogue_version,
        elapsed_ms=message.elapsed_ms,
        place=message.place,
        first_completion_points=message.first_completion_points,
        time_bonus_points=message.time_bonus_points,
        occurred_at=at,
    )


def _left(data: bytes, at: datetime) -> ev.Event:
    message = pb.AttemptLeft.FromString(data)
    return ev.AttemptLeft(UUID(message.account_id), message.level, at)


def _restarted(data: bytes, at: datetime) -> ev.Event:
    message = pb.AttemptRestarted.FromString(data)
    return ev.AttemptRestarted(UUID(message.account_id), message.level, UUID(message.next_attempt_id), at)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.AttemptStarted][1]: _started,
    TYPES[ev.TileLifted][1]: _lifted,
    TYPES[ev.TilePutBack][1]: _put_back,
    TYPES[ev.PairRemoved][1]: _removed,
    TYPES[ev.TouchNotSame][1]: _not_same,
    TYPES[ev.TouchBlocked][1]: _blocked,
    TYPES[ev.ClockPaused][1]: clock_paused,
    TYPES[ev.JokerRequested][1]: joker_requested,
    TYPES[ev.JokerUsed][1]: joker_used,
    TYPES[ev.JokerGivenUp][1]: joker_given_up,
    TYPES[ev.AttemptCleared][1]: _cleared,
    TYPES[ev.AttemptLeft][1]: _left,
    TYPES[ev.AttemptRestarted][1]: _restarted,
}
