"""Events of races to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import race_event_pb2 as pb
from libs.pb.sparrow.match.v1 import race_pb2 as terms
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits, mask_of
from libs.rules.solitaire.board import Blocked, Closed, Covered
from libs.rules.tiles import Face
from libs.runtime.errors import Refused
from services.match.domain.race import events as ev
from services.match.domain.race.terms import (
    EndReason,
    FinishClass,
    RaceDeal,
    RaceSeat,
    RatingChange,
    SeatEnd,
)
from services.match.wire.layouts import layout_from_wire, layout_to_wire
from services.match.wire.pause_codec import clock_paused, pause_message
from services.match.wire.race_settings import (
    CPU_LEVELS,
    DIFFICULTIES,
    key_of,
    settings_message,
    stored_settings,
)
from services.match.wire.round_codec import blockers

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.RaceDealt: (Part.MOVES, "sparrow.match.race_dealt.v1"),
    ev.RaceStarted: (Part.MOVES, "sparrow.match.race_started.v1"),
    ev.ClockPaused: (Part.MOVES, "sparrow.match.clock_paused.v1"),
    ev.RacePairRemoved: (Part.MOVES, "sparrow.match.race_pair_removed.v1"),
    ev.RaceTileTouched: (Part.MOVES, "sparrow.match.race_tile_touched.v1"),
    ev.RaceBoardShuffled: (Part.MOVES, "sparrow.match.race_board_shuffled.v1"),
    ev.RaceHintShown: (Part.MOVES, "sparrow.match.race_hint_shown.v1"),
    ev.RaceSeatGaveUp: (Part.MOVES, "sparrow.match.race_seat_gave_up.v1"),
    ev.RaceSeatAway: (Part.MOVES, "sparrow.match.race_seat_away.v1"),
    ev.RaceSeatBack: (Part.MOVES, "sparrow.match.race_seat_back.v1"),
    ev.RaceEnded: (Part.FACTS, "sparrow.match.race_ended.v1"),
}

FINISHES: Final = {
    FinishClass.WITHIN_LIMIT: terms.RACE_FINISH_WITHIN_LIMIT,
    FinishClass.OVER_LIMIT: terms.RACE_FINISH_OVER_LIMIT,
    FinishClass.UNFINISHED: terms.RACE_FINISH_UNFINISHED,
    FinishClass.GIVEN_UP: terms.RACE_FINISH_GIVEN_UP,
}
ENDINGS: Final = {EndReason.ALL_DONE: terms.RACE_ENDING_ALL_DONE, EndReason.TIME: terms.RACE_ENDING_TIME}


class RaceCodec:
    """The codec of race streams."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, _message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_IN_MODE for that of another kind of game."""
        decode = _DECODERS.get(recorded.type)
        if decode is None:
            raise Refused("NOT_IN_MODE", "this match is no race")
        return decode(recorded.data, recorded.occurred_at)


def _message(event: ev.Event) -> Message:
    match event:
        case ev.RaceDealt():
            return _dealt_message(event)
        case ev.RaceStarted():
            return pb.RaceStarted()
        case ev.ClockPaused():
            return pause_message(event)
        case ev.RaceEnded():
            return _ended_message(event)
        case _:
            return _seat_message(event)


def _seat_message(event: ev.SeatEvent) -> Message:
    match event:
        case ev.RacePairRemoved(seat=seat, first=first, second=second, by_cpu=by_cpu):
            return pb.RacePairRemoved(seat=seat, pair=_pair(first, second), by_cpu=by_cpu)
        case ev.RaceTileTouched(seat=seat, tile=tile, why=why, not_same=not_same):
            told = None if why is None else blockers(why)
            return pb.RaceTileTouched(seat=seat, tile=tile, blockers=told, not_same=not_same)
        case ev.RaceBoardShuffled():
            return pb.RaceBoardShuffled(
                seat=event.seat,
                faces=event.faces,
                present=bits(event.present),
                moved=event.moved,
                by_cpu=event.by_cpu,
            )
        case ev.RaceHintShown(seat=seat, first=first, second=second, by_cpu=by_cpu):
            return pb.RaceHintShown(seat=seat, pair=_pair(first, second), by_cpu=by_cpu)
        case ev.RaceSeatGaveUp(seat=seat):
            return pb.RaceSeatGaveUp(seat=seat)
        case ev.RaceSeatAway(seat=seat):
            return pb.RaceSeatAway(seat=seat)
        case ev.RaceSeatBack(seat=seat):
            return pb.RaceSeatBack(seat=seat)


def _pair(first: int, second: int) -> solitaire_pb2.TilePair:
    return solitaire_pb2.TilePair(first=first, second=second)


def _dealt_message(event: ev.RaceDealt) -> pb.RaceDealt:
    return pb.RaceDealt(
        race_id=str(event.race_id),
        group_id=_optional(event.group_id),
        settings=settings_message(event.settings),
        rated=event.rated,
        seats=[
            pb.RaceDealt.Seat(
                account_id=_optional(seat.account_id),
                cpu=terms.CPU_LEVEL_UNSPECIFIED if seat.cpu is None else CPU_LEVELS[seat.cpu],
                deal=seat.deal,
            )
            for seat in event.seats
        ],
        deals=[
            pb.RaceDealt.Deal(
                difficulty=DIFFICULTIES[deal.difficulty],
                catalogue_version=deal.catalogue_version,
                layout=layout_to_wire(deal.layout, deal.layout_title),
                distinct_faces=deal.distinct_faces,
                faces=deal.faces,
                certificate=[_pair(*pair) for pair in deal.certificate],
                seed=deal.seed,
                nonce=deal.nonce,
                commitment=deal.commitment,
            )
            for deal in event.deals
        ],
        cpu_seed=event.cpu_seed,
    )


def _ended_message(event: ev.RaceEnded) -> pb.RaceEnded:
    message = pb.RaceEnded(
        race_id=str(event.race_id),
        group_id=_optional(event.group_id),
        ending=ENDINGS[event.reason],
        rated=event.rated,
    )
    for account_id, end in zip(event.accounts, event.ends, strict=True):
        seat = message.seats.add(
            account_id=_optional(account_id),
            place=end.place,
            finish=FINISHES[end.finish_class],
            elapsed_ms=end.elapsed_ms,
            tiles_left=end.tiles_left,
            cpu_played=end.cpu_played,
        )
        if end.rating is not None:
            seat.rating_before, seat.rating_after = end.rating.before, end.rating.after
            seat.mu, seat.sigma = end.rating.mu, end.rating.sigma
    return message


def _optional(identity: UUID | None) -> str:
    return "" if identity is None else str(identity)


def _id_or_none(text: str) -> UUID | None:
    return UUID(text) if text else None


def _dealt(data: bytes, at: datetime) -> ev.Event:
    message = pb.RaceDealt.FromString(data)
    return ev.RaceDealt(
        UUID(message.race_id),
        _id_or_none(message.group_id),
        stored_settings(message.settings),
        message.rated,
        tuple(
            RaceSeat(
                _id_or_none(seat.account_id), key_of(CPU_LEVELS, seat.cpu) if seat.cpu else None, seat.deal
            )
            for seat in message.seats
        ),
        tuple(map(_deal, message.deals)),
        message.cpu_seed,
        at,
    )


def _deal(message: pb.RaceDealt.Deal) -> RaceDeal:
    return RaceDeal(
        difficulty=key_of(DIFFICULTIES, message.difficulty),
        catalogue_version=message.catalogue_version,
        layout=layout_from_wire(message.layout),
        layout_title=message.layout.title,
        distinct_faces=message.distinct_faces,
        faces=tuple(Face(face) for face in message.faces),
        certificate=tuple((pair.first, pair.second) for pair in message.certificate),
        seed=message.seed,
        nonce=message.nonce,
        commitment=message.commitment,
    )


def _removed(data: bytes, at: datetime) -> ev.Event:
    message = pb.RacePairRemoved.FromString(data)
    return ev.RacePairRemoved(message.seat, message.pair.first, message.pair.second, message.by_cpu, at)


def _touched(data: bytes, at: datetime) -> ev.Event:
    message = pb.RaceTileTouched.FromString(data)
    why = _blocked(message.blockers) if message.HasField("blockers") else None
    return ev.RaceTileTouched(message.seat, message.tile, why, message.not_same, at)


def _blocked(why: match_pb2.Blockers) -> Blocked:
    if why.covered_by:
        return Covered(tuple(why.covered_by))
    return Closed(tuple(why.left), tuple(why.right))


def _shuffled(data: bytes, at: datetime) -> ev.Event:
    message = pb.RaceBoardShuffled.FromString(data)
    faces = tuple(Face(face) for face in message.faces)
    return ev.RaceBoardShuffled(
        message.seat, faces, mask_of(message.present), message.moved, message.by_cpu, at
    )


def _hint(data: bytes, at: datetime) -> ev.Event:
    message = pb.RaceHintShown.FromString(data)
    return ev.RaceHintShown(message.seat, message.pair.first, message.pair.second, message.by_cpu, at)


def _ended(data: bytes, at: datetime) -> ev.Event:
    message = pb.RaceEnded.FromString(data)
    return ev.RaceEnded(
        UUID(message.race_id),
        _id_or_none(message.group_id),
        key_of(ENDINGS, message.ending),
        message.rated,
        tuple(_id_or_none(seat.account_id) for seat in message.seats),
        tuple(_end(seat, rated=message.rated) for seat in message.seats),
        at,
    )


def _end(seat: pb.RaceEnded.Seat, *, rated: bool) -> SeatEnd:
    return SeatEnd(
        seat.place,
        key_of(FINISHES, seat.finish),
        seat.elapsed_ms if seat.HasField("elapsed_ms") else None,
        seat.tiles_left,
        seat.cpu_played,
        RatingChange(seat.rating_before, seat.rating_after, seat.mu, seat.sigma) if rated else None,
    )


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.RaceDealt][1]: _dealt,
    TYPES[ev.RaceStarted][1]: lambda _data, at: ev.RaceStarted(at),
    TYPES[ev.ClockPaused][1]: clock_paused,
    TYPES[ev.RacePairRemoved][1]: _removed,
    TYPES[ev.RaceTileTouched][1]: _touched,
    TYPES[ev.RaceBoardShuffled][1]: _shuffled,
    TYPES[ev.RaceHintShown][1]: _hint,
    TYPES[ev.RaceSeatGaveUp][1]: lambda data, at: ev.RaceSeatGaveUp(
        pb.RaceSeatGaveUp.FromString(data).seat, at
    ),
    TYPES[ev.RaceSeatAway][1]: lambda data, at: ev.RaceSeatAway(pb.RaceSeatAway.FromString(data).seat, at),
    TYPES[ev.RaceSeatBack][1]: lambda data, at: ev.RaceSeatBack(pb.RaceSeatBack.FromString(data).seat, at),
    TYPES[ev.RaceEnded][1]: _ended,
}
