"""Events of the pool to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1 import pool_event_pb2 as pb
from libs.pb.sparrow.match.v1 import pool_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.tiles import Face
from libs.runtime.errors import Refused
from libs.runtime.names import layout_name
from services.match.domain.pool import events as ev
from services.match.domain.pool.terms import (
    PoolDeal,
    PoolEnding,
    PoolTerms,
    SeatEnding,
    SeatResult,
    StakeRefusal,
)
from services.match.wire.boards import timestamp
from services.match.wire.layouts import PREFIX, layout_from_wire, layout_to_wire
from services.match.wire.pause_codec import clock_paused, pause_message

SCHEMA_VERSION: Final = 1
OWN: Final = "sparrow.match.pool_"
K = TypeVar("K")
V = TypeVar("V")

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.PoolDealt: (Part.MOVES, "sparrow.match.pool_dealt.v1"),
    ev.StakePaid: (Part.MOVES, "sparrow.match.pool_stake_paid.v1"),
    ev.StakeRefused: (Part.MOVES, "sparrow.match.pool_stake_refused.v1"),
    ev.CountdownBegun: (Part.MOVES, "sparrow.match.pool_countdown_begun.v1"),
    ev.PoolStarted: (Part.MOVES, "sparrow.match.pool_started.v1"),
    ev.ClockPaused: (Part.MOVES, "sparrow.match.clock_paused.v1"),
    ev.PoolPairRemoved: (Part.MOVES, "sparrow.match.pool_pair_removed.v1"),
    ev.PoolPairUndone: (Part.MOVES, "sparrow.match.pool_pair_undone.v1"),
    ev.PoolShuffled: (Part.MOVES, "sparrow.match.pool_shuffled.v1"),
    ev.PoolShuffleImpossible: (Part.MOVES, "sparrow.match.pool_shuffle_impossible.v1"),
    ev.PoolHintGiven: (Part.MOVES, "sparrow.match.pool_hint_given.v1"),
    ev.PoolSeatEnded: (Part.MOVES, "sparrow.match.pool_seat_ended.v1"),
    ev.PoolEnded: (Part.FACTS, "sparrow.match.pool_ended.v1"),
    ev.PoolDealRevealed: (Part.FACTS, "sparrow.match.pool_deal_revealed.v1"),
}

SEAT_ENDINGS: Final = {
    SeatEnding.CLEARED: pool_pb2.POOL_SEAT_ENDING_CLEARED,
    SeatEnding.BLOCKED: pool_pb2.POOL_SEAT_ENDING_BLOCKED,
    SeatEnding.TIME: pool_pb2.POOL_SEAT_ENDING_TIME,
    SeatEnding.ENDED: pool_pb2.POOL_SEAT_ENDING_ENDED,
    SeatEnding.LEFT: pool_pb2.POOL_SEAT_ENDING_LEFT,
    SeatEnding.NOT_PLAYED: pool_pb2.POOL_SEAT_ENDING_NOT_PLAYED,
}
ENDINGS: Final = {
    PoolEnding.PLAYED: pool_pb2.POOL_ENDING_PLAYED,
    PoolEnding.VOID_STAKES: pool_pb2.POOL_ENDING_VOID_STAKES,
    PoolEnding.VOID_MOVES: pool_pb2.POOL_ENDING_VOID_MOVES,
    PoolEnding.RESTARTED: pool_pb2.POOL_ENDING_RESTARTED,
}
STAKE_REFUSALS: Final = {
    StakeRefusal.TOO_FEW_CHIPS: pool_pb2.POOL_STAKE_REFUSAL_TOO_FEW_CHIPS,
    StakeRefusal.TOO_LATE: pool_pb2.POOL_STAKE_REFUSAL_TOO_LATE,
}


class PoolCodec:
    """The codec of the streams of pool games."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_IN_MODE for that of another kind of game.

        Raises KeyError for a type of ours that no release has written.
        """
        if recorded.type not in _DECODERS and not recorded.type.startswith(OWN):
            raise Refused("NOT_IN_MODE", "this is no game of the pool")
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def to_message(event: ev.Event) -> Message:  # noqa: C901, PLR0912 one case per event
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.PoolDealt():
            return _dealt_message(event)
        case ev.StakePaid(seat=seat):
            return pb.PoolStakePaid(seat=seat)
        case ev.StakeRefused(seat=seat, reason=reason):
            return pb.PoolStakeRefused(seat=seat, reason=STAKE_REFUSALS[reason])
        case ev.CountdownBegun():
            return pb.PoolCountdownBegun()
        case ev.PoolStarted():
            return pb.PoolStarted()
        case ev.ClockPaused():
            return pause_message(event)
        case ev.PoolPairRemoved(seat, first, second, worth, score):
            return pb.PoolPairRemoved(seat=seat, pair=pair(first, second), worth=worth, score=score)
        case ev.PoolPairUndone(seat, first, second, charge, score):
            return pb.PoolPairUndone(seat=seat, pair=pair(first, second), charge=charge, score=score)
        case ev.PoolShuffled(seat, faces, charge, score):
            return pb.PoolShuffled(seat=seat, faces=faces, charge=charge, score=score)
        case ev.PoolShuffleImpossible(seat=seat):
            return pb.PoolShuffleImpossible(seat=seat)
        case ev.PoolHintGiven(seat, first, second, charge, score):
            return pb.PoolHintGiven(seat=seat, pair=pair(first, second), charge=charge, score=score)
        case ev.PoolSeatEnded(seat=seat, ending=ending):
            return pb.PoolSeatEnded(seat=seat, ending=SEAT_ENDINGS[ending])
        case ev.PoolEnded():
            return _ended_message(event)
        case ev.PoolDealRevealed():
            return pb.PoolDealRevealed(
                catalogue_version=event.catalogue_version,
                layout=layout_name(event.layout_name),
                distinct_faces=event.distinct_faces,
                seed=event.seed,
                nonce=event.nonce,
            )


def pair(first: int, second: int) -> solitaire_pb2.TilePair:
    """Two tiles."""
    return solitaire_pb2.TilePair(first=first, second=second)


def _dealt_message(event: ev.PoolDealt) -> pb.PoolDealt:
    terms, deal = event.terms, event.deal
    limit = Duration()
    limit.FromTimedelta(terms.limit)
    return pb.PoolDealt(
        account_ids=map(str, terms.accounts),
        stake=terms.stake,
        limit=limit,
        catalogue_version=deal.catalogue_version,
        layout=layout_to_wire(deal.layout, deal.layout_title),
        faces=deal.faces,
        seed=deal.seed,
        nonce=deal.nonce,
        commitment=deal.commitment,
    )


def _ended_message(event: ev.PoolEnded) -> pb.PoolEnded:
    return pb.PoolEnded(
        ending=ENDINGS[event.ending],
        seats=[
            pb.PoolEnded.Seat(
                place=seat.place,
                score=seat.score,
                ending=SEAT_ENDINGS[seat.ending],
                end_time=timestamp(seat.ended_at),
                pairs_left=seat.pairs_left,
                payout=seat.payout,
            )
            for seat in event.seats
        ],
        next_game_id="" if event.next_game_id is None else str(event.next_game_id),
    )


def _dealt(data: bytes, at: datetime) -> ev.Event:
    message = pb.PoolDealt.FromString(data)
    deal = PoolDeal(
        catalogue_version=message.catalogue_version,
        layout=layout_from_wire(message.layout),
        layout_title=message.layout.title,
        faces=tuple(Face(face) for face in message.faces),
        seed=message.seed,
        nonce=message.nonce,
        commitment=message.commitment,
    )
    accounts = tuple(map(UUID, message.account_ids))
    return ev.PoolDealt(PoolTerms(accounts, message.stake, message.limit.ToTimedelta()), deal, at)


def _ended(data: bytes, at: datetime) -> ev.Event:
    message = pb.PoolEnded.FromString(data)
    seats = tuple(
        SeatResult(
            place=seat.place,
            score=seat.score,
            ending=_key(SEAT_ENDINGS, seat.ending),
            ended_at=seat.end_time.ToDatetime(UTC),
            pairs_left=seat.pairs_left,
            payout=seat.payout,
        )
        for seat in message.seats
    )
    following = UUID(message.next_game_id) if message.next_game_id else None
    return ev.PoolEnded(_key(ENDINGS, message.ending), seats, following, at)


def _removed(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolPairRemoved.FromString(data)
    return ev.PoolPairRemoved(m.seat, m.pair.first, m.pair.second, m.worth, m.score, at)


def _undone(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolPairUndone.FromString(data)
    return ev.PoolPairUndone(m.seat, m.pair.first, m.pair.second, m.charge, m.score, at)


def _hinted(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolHintGiven.FromString(data)
    return ev.PoolHintGiven(m.seat, m.pair.first, m.pair.second, m.charge, m.score, at)


def _shuffled(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolShuffled.FromString(data)
    return ev.PoolShuffled(m.seat, tuple(Face(face) for face in m.faces), m.charge, m.score, at)


def _stake_refused(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolStakeRefused.FromString(data)
    return ev.StakeRefused(m.seat, _key(STAKE_REFUSALS, m.reason), at)


def _seat_ended(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolSeatEnded.FromString(data)
    return ev.PoolSeatEnded(m.seat, _key(SEAT_ENDINGS, m.ending), at)


def _revealed(data: bytes, at: datetime) -> ev.Event:
    m = pb.PoolDealRevealed.FromString(data)
    return ev.PoolDealRevealed(
        m.catalogue_version, m.layout.removeprefix(PREFIX), m.distinct_faces, m.seed, m.nonce, at
    )


def _key(table: dict[K, V], value: V) -> K:
    """The word behind a stored number."""
    return next(key for key, number in table.items() if number == value)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.PoolDealt][1]: _dealt,
    TYPES[ev.StakePaid][1]: lambda data, at: ev.StakePaid(pb.PoolStakePaid.FromString(data).seat, at),
    TYPES[ev.StakeRefused][1]: _stake_refused,
    TYPES[ev.CountdownBegun][1]: lambda _data, at: ev.CountdownBegun(at),
    TYPES[ev.PoolStarted][1]: lambda _data, at: ev.PoolStarted(at),
    TYPES[ev.ClockPaused][1]: clock_paused,
    TYPES[ev.PoolPairRemoved][1]: _removed,
    TYPES[ev.PoolPairUndone][1]: _undone,
    TYPES[ev.PoolShuffled][1]: _shuffled,
    TYPES[ev.PoolShuffleImpossible][1]: lambda data, at: ev.PoolShuffleImpossible(
        pb.PoolShuffleImpossible.FromString(data).seat, at
    ),
    TYPES[ev.PoolHintGiven][1]: _hinted,
    TYPES[ev.PoolSeatEnded][1]: _seat_ended,
    TYPES[ev.PoolEnded][1]: _ended,
    TYPES[ev.PoolDealRevealed][1]: _revealed,
}
