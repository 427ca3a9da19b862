"""Events of rounds and matches to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2, match_pb2
from libs.pb.sparrow.match.v1 import round_event_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.board import Blocked, Closed, Covered
from libs.rules.tiles import Face
from libs.runtime.names import layout_name
from services.match.domain.rivals import events as ev
from services.match.domain.rivals import match_events as match_ev
from services.match.domain.rivals.stage import ONLY_ROUND, PlayedRound, Stage
from services.match.domain.rivals.terms import (
    EndReason,
    OutReason,
    PairKind,
    Reveal,
    RoundDeal,
    SeatEnd,
    Verdict,
)
from services.match.wire.joker_codec import joker_given_up, joker_message, joker_requested, joker_used
from services.match.wire.layouts import PREFIX, layout_from_wire, layout_to_wire
from services.match.wire.match_facts import (
    arena_message,
    created_message,
    quick_match_message,
    stage_message,
    stage_of,
    tournament_match_message,
)
from services.match.wire.pause_codec import clock_paused, pause_message

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.RoundDealt: (Part.MOVES, "sparrow.match.round_dealt.v1"),
    ev.RoundStarted: (Part.MOVES, "sparrow.match.round_started.v1"),
    ev.ClockPaused: (Part.MOVES, "sparrow.match.clock_paused.v1"),
    ev.SeatLiftedTile: (Part.MOVES, "sparrow.match.seat_lifted_tile.v1"),
    ev.SeatPutTileBack: (Part.MOVES, "sparrow.match.seat_put_tile_back.v1"),
    ev.SeatTouchedNotSame: (Part.MOVES, "sparrow.match.seat_touched_not_same.v1"),
    ev.SeatTouchedBlocked: (Part.MOVES, "sparrow.match.seat_touched_blocked.v1"),
    ev.SeatRemovedPair: (Part.MOVES, "sparrow.match.seat_removed_pair.v1"),
    ev.JokerRequested: (Part.MOVES, "sparrow.match.joker_requested.v1"),
    ev.JokerUsed: (Part.MOVES, "sparrow.match.joker_used.v1"),
    ev.JokerGivenUp: (Part.MOVES, "sparrow.match.joker_given_up.v1"),
    ev.SeatWentOut: (Part.MOVES, "sparrow.match.seat_went_out.v1"),
    ev.RoundEnded: (Part.FACTS, "sparrow.match.round_ended.v1"),
    ev.DealRevealed: (Part.FACTS, "sparrow.match.deal_revealed.v1"),
    match_ev.MatchCreated: (Part.FACTS, "sparrow.match.match_created.v1"),
    match_ev.QuickMatchEnded: (Part.FACTS, "sparrow.match.quick_match_ended.v1"),
    match_ev.MatchRoundEnded: (Part.FACTS, "sparrow.match.match_round_ended.v1"),
    match_ev.ArenaEnded: (Part.FACTS, "sparrow.match.arena_ended.v1"),
    match_ev.TournamentMatchEnded: (Part.FACTS, "sparrow.match.tournament_match_ended.v1"),
}

PAIR_KINDS: Final = {
    PairKind.PLAIN: match_pb2.PAIR_KIND_PLAIN,
    PairKind.PACE: match_pb2.PAIR_KIND_PACE,
    PairKind.CRUCIAL: match_pb2.PAIR_KIND_CRUCIAL,
    PairKind.JOKER: match_pb2.PAIR_KIND_JOKER,
}
OUT_REASONS: Final = {
    OutReason.IDLE: match_pb2.OUT_REASON_IDLE,
    OutReason.LEFT: match_pb2.OUT_REASON_LEFT,
}
END_REASONS: Final = {
    EndReason.CLEARED: match_pb2.ROUND_ENDING_CLEARED,
    EndReason.TIME: match_pb2.ROUND_ENDING_TIME,
    EndReason.ALL_OUT: match_pb2.ROUND_ENDING_ALL_OUT,
    EndReason.CUT: match_pb2.ROUND_ENDING_CUT,
}
K = TypeVar("K")
V = TypeVar("V")


class RoundCodec:
    """The codec of round streams."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        return encoded(event)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises KeyError for a type that no release of ours has written."""
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def encoded(event: ev.Event | match_ev.MatchEvent) -> tuple[Part, str, int, bytes]:
    """The part, the type, the schema version and the bytes of an event of a round or a match."""
    part, name = TYPES[type(event)]
    return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)


def to_message(event: ev.Event | match_ev.MatchEvent) -> Message:  # noqa: C901, PLR0912 one case per event
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.RoundDealt():
            return _dealt_message(event)
        case ev.RoundStarted():
            return pb.RoundStarted()
        case ev.ClockPaused():
            return pause_message(event)
        case ev.SeatLiftedTile(seat=seat, tile=tile, replaced=replaced):
            return pb.SeatLiftedTile(seat=seat, tile=tile, replaced=replaced)
        case ev.SeatPutTileBack(seat=seat, tile=tile):
            return pb.SeatPutTileBack(seat=seat, tile=tile)
        case ev.SeatTouchedNotSame(seat=seat, tile=tile):
            return pb.SeatTouchedNotSame(seat=seat, tile=tile)
        case ev.SeatTouchedBlocked(seat=seat, tile=tile, why=why, round_score=score):
            return pb.SeatTouchedBlocked(seat=seat, tile=tile, blockers=blockers(why), round_score=score)
        case ev.SeatRemovedPair():
            return _removed_message(event)
        case ev.JokerRequested() | ev.JokerUsed() | ev.JokerGivenUp():
            return joker_message(event)
        case ev.SeatWentOut(seat=seat, reason=why_out):
            return pb.SeatWentOut(seat=seat, reason=OUT_REASONS[why_out])
        case ev.RoundEnded(reason=why_over, seats=seats):
            return pb.RoundEnded(ending=END_REASONS[why_over], seats=[_end_message(end) for end in seats])
        case ev.DealRevealed():
            return _revealed_message(event)
        case match_ev.MatchCreated():
            return created_message(event)
        case match_ev.QuickMatchEnded():
            return quick_match_message(event)
        case match_ev.MatchRoundEnded():
            return _match_round_message(event)
        case match_ev.ArenaEnded():
            return arena_message(event)
        case match_ev.TournamentMatchEnded():
            return tournament_match_message(event)
    raise AssertionError(f"no message is laid down for {event}")


def end_reason(ending: match_pb2.RoundEnding.ValueType) -> EndReason:
    """Why a round ended, by its stored number."""
    return _key(END_REASONS, ending)


def blockers(why: Blocked) -> match_pb2.Blockers:
    """Why a tile is blocked."""
    if isinstance(why, Covered):
        return match_pb2.Blockers(covered_by=why.by)
    return match_pb2.Blockers(left=why.left, right=why.right)


def _dealt_message(event: ev.RoundDealt) -> pb.RoundDealt:
    deal = event.deal
    return pb.RoundDealt(
        match_id=str(event.match_id),
        account_ids=map(str, event.accounts),
        level=deal.level,
        catalogue_version=deal.catalogue_version,
        layout=layout_to_wire(deal.layout, deal.layout_title),
        distinct_faces=deal.distinct_faces,
        faces=deal.faces,
        seed=deal.seed,
        nonce=deal.nonce,
        commitment=deal.commitment,
        **_stage_fields(event.stage),
    )


def _stage_fields(stage: Stage) -> dict[str, Any]:
    """What stands in the message beside the deal: nothing where the round is the only one of its match."""
    if stage == ONLY_ROUND:
        return {}
    return {
        "mode": stage.mode,
        "number": stage.number,
        "round_count": stage.rounds,
        "countdown": stage.countdown,
        "left_seats": stage.left,
        "earlier": [
            pb.RoundDealt.Earlier(
                ending=END_REASONS[played.reason],
                seats=map(_end_message, played.seats),
                reveal=_revealed_message(played.reveal),
            )
            for played in stage.earlier
        ],
        "board_versions": stage.board_versions,
        "private": stage.private,
        "tournament": stage_message(stage.tournament),
    }


def _revealed_message(reveal: ev.DealRevealed | Reveal) -> pb.DealRevealed:
    return pb.DealRevealed(
        catalogue_version=reveal.catalogue_version,
        layout=layout_name(reveal.layout_name),
        distinct_faces=reveal.distinct_faces,
        seed=reveal.seed,
        nonce=reveal.nonce,
    )


def _removed_message(event: ev.SeatRemovedPair) -> pb.SeatRemovedPair:
    return pb.SeatRemovedPair(
        seat=event.seat,
        pair=_pair(event.first, event.second),
        kind=PAIR_KINDS[event.kind],
        worth=event.worth,
        round_score=event.round_score,
        took_ms=event.took_ms,
        record_ms=event.record_ms,
        crucial=event.verdict.crucial,
        undecided=event.verdict.undecided,
        nodes=event.verdict.nodes,
        kernel=event.verdict.kernel,
    )


def _end_message(end: SeatEnd) -> pb.RoundEnded.Seat:
    return pb.RoundEnded.Seat(
        place=end.place, round_score=end.round_score, cleared=end.cleared, tiles_left=end.tiles_left
    )


def _match_round_message(event: match_ev.MatchRoundEnded) -> match_event_pb2.MatchRoundEnded:
    seats = [
        match_event_pb2.MatchRoundEnded.Seat(
            account_id=str(account_id), place=end.place, round_score=end.round_score, cleared=end.cleared
        )
        for account_id, end in zip(event.accounts, event.ends, strict=True)
    ]
    return match_event_pb2.MatchRoundEnded(
        match_id=str(event.match_id),
        round_id=str(event.round_id),
        number=event.number,
        ending=END_REASONS[event.reason],
        seats=seats,
        next_round_id="" if event.next_round_id is None else str(event.next_round_id),
    )


def _pair(first: int, second: int) -> solitaire_pb2.TilePair:
    return solitaire_pb2.TilePair(first=first, second=second)


def _key(table: dict[K, V], value: V) -> K:
    """The word behind a stored number."""
    return next(key for key, number in table.items() if number == value)


def _dealt(data: bytes, at: datetime) -> ev.Event:
    message = pb.RoundDealt.FromString(data)
    deal = RoundDeal(
        level=message.level,
        catalogue_version=message.catalogue_version,
        layout=layout_from_wire(message.layout),
        layout_title=message.layout.title,
        distinct_faces=message.distinct_faces,
        faces=tuple(Face(face) for face in message.faces),
        seed=message.seed,
        nonce=message.nonce,
        commitment=message.commitment,
    )
    accounts = tuple(map(UUID, message.account_ids))
    return ev.RoundDealt(UUID(message.match_id), accounts, deal, at, _stage(message))


def _stage(message: pb.RoundDealt) -> Stage:
    if not message.mode:
        return ONLY_ROUND
    return Stage(
        mode=message.mode,
        number=message.number,
        rounds=message.round_count,
        countdown=message.countdown.ToTimedelta(),
        left=tuple(message.left_seats),
        earlier=tuple(
            PlayedRound(end_reason(played.ending), tuple(map(_end, played.seats)), _reveal(played.reveal))
            for played in message.earlier
        ),
        board_versions=tuple(message.board_versions),
        private=message.private,
        tournament=stage_of(message.tournament) if message.HasField("tournament") else None,
    )


def _reveal(message: pb.DealRevealed) -> Reveal:
    return Reveal(
        message.catalogue_version,
        message.layout.removeprefix(PREFIX),
        message.distinct_faces,
        message.seed,
        message.nonce,
    )


def _end(seat: pb.RoundEnded.Seat) -> SeatEnd:
    return SeatEnd(seat.place, seat.round_score, seat.cleared, seat.tiles_left)


def _started(_data: bytes, at: datetime) -> ev.Event:
    return ev.RoundStarted(at)


def _lifted(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatLiftedTile.FromString(data)
    replaced = message.replaced if message.HasField("replaced") else None
    return ev.SeatLiftedTile(message.seat, message.tile, replaced, at)


def _put_back(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatPutTileBack.FromString(data)
    return ev.SeatPutTileBack(message.seat, message.tile, at)


def _not_same(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatTouchedNotSame.FromString(data)
    return ev.SeatTouchedNotSame(message.seat, message.tile, at)


def _blocked(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatTouchedBlocked.FromString(data)
    why = message.blockers
    told: Blocked = (
        Covered(tuple(why.covered_by)) if why.covered_by else Closed(tuple(why.left), tuple(why.right))
    )
    return ev.SeatTouchedBlocked(message.seat, message.tile, told, message.round_score, at)


def _removed(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatRemovedPair.FromString(data)
    return ev.SeatRemovedPair(
        seat=message.seat,
        first=message.pair.first,
        second=message.pair.second,
        kind=_key(PAIR_KINDS, message.kind),
        worth=message.worth,
        round_score=message.round_score,
        took_ms=message.took_ms,
        record_ms=message.record_ms,
        verdict=Verdict(message.crucial, message.undecided, message.nodes, message.kernel),
        occurred_at=at,
    )


def _went_out(data: bytes, at: datetime) -> ev.Event:
    message = pb.SeatWentOut.FromString(data)
    return ev.SeatWentOut(message.seat, _key(OUT_REASONS, message.reason), at)


def _ended(data: bytes, at: datetime) -> ev.Event:
    message = pb.RoundEnded.FromString(data)
    return ev.RoundEnded(end_reason(message.ending), tuple(map(_end, message.seats)), at)


def _revealed(data: bytes, at: datetime) -> ev.Event:
    message = pb.DealRevealed.FromString(data)
    shown = _reveal(message)
    return ev.DealRevealed(
        shown.catalogue_version, shown.layout_name, shown.distinct_faces, shown.seed, shown.nonce, at
    )


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.RoundDealt][1]: _dealt,
    TYPES[ev.RoundStarted][1]: _started,
    TYPES[ev.ClockPaused][1]: clock_paused,
    TYPES[ev.SeatLiftedTile][1]: _lifted,
    TYPES[ev.SeatPutTileBack][1]: _put_back,
    TYPES[ev.SeatTouchedNotSame][1]: _not_same,
    TYPES[ev.SeatTouchedBlocked][1]: _blocked,
    TYPES[ev.SeatRemovedPair][1]: _removed,
    TYPES[ev.JokerRequested][1]: joker_requested,
    TYPES[ev.JokerUsed][1]: joker_used,
    TYPES[ev.JokerGivenUp][1]: joker_given_up,
    TYPES[ev.SeatWentOut][1]: _went_out,
    TYPES[ev.RoundEnded][1]: _ended,
    TYPES[ev.DealRevealed][1]: _revealed,
}
