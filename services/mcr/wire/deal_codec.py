"""Events of deals to stored bytes and back. The type decides the part, in one table."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.mcr.v1 import deal_event_pb2 as pb
from libs.rules.mcr.wall import TileId
from libs.runtime.errors import Refused
from services.mcr.domain.deal import events as ev
from services.mcr.domain.deal.actions import Pass, Win
from services.mcr.domain.deal.terms import DealTerms, Wall
from services.mcr.wire.outcomes import outcome_message, outcome_of
from services.mcr.wire.words import (
    ACTED_BY,
    AWAY_REASONS,
    SOURCES,
    answer_message,
    answer_of,
    duration,
    key_of,
    limits_message,
    limits_of,
    occupant_message,
    occupant_of,
    tiles_of,
    timestamp,
)

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.DealDealt: (Part.MOVES, "sparrow.mcr.deal_dealt.v1"),
    ev.FlowerReplaced: (Part.MOVES, "sparrow.mcr.flower_replaced.v1"),
    ev.PlayBegan: (Part.MOVES, "sparrow.mcr.play_began.v1"),
    ev.TileDrawn: (Part.MOVES, "sparrow.mcr.tile_drawn.v1"),
    ev.TileDiscarded: (Part.MOVES, "sparrow.mcr.tile_discarded.v1"),
    ev.ClaimAnswered: (Part.MOVES, "sparrow.mcr.claim_answered.v1"),
    ev.TileClaimed: (Part.MOVES, "sparrow.mcr.tile_claimed.v1"),
    ev.KongDeclared: (Part.MOVES, "sparrow.mcr.kong_declared.v1"),
    ev.KongAdded: (Part.MOVES, "sparrow.mcr.kong_added.v1"),
    ev.DealEnded: (Part.FACTS, "sparrow.mcr.deal_ended.v1"),
    ev.WallRevealed: (Part.FACTS, "sparrow.mcr.wall_revealed.v1"),
    ev.SeatLeft: (Part.MOVES, "sparrow.mcr.seat_left.v1"),
    ev.SeatReturned: (Part.MOVES, "sparrow.mcr.seat_returned.v1"),
    ev.ClockPaused: (Part.MOVES, "sparrow.mcr.clock_paused.v1"),
}

SALT_BYTES: Final = 16
SALTED: Final = (
    *(pb.FlowerReplaced, pb.PlayBegan, pb.TileDrawn, pb.TileDiscarded),
    *(pb.ClaimAnswered, pb.KongDeclared, pb.KongAdded),
)
"""What holds a secret that could be guessed; the dealing has its own seed."""


class DealCodec:
    """The codec of the streams of deals.

    What is secret in an event is often one of a few tiles. Feeds and exports publish hashes of whole events,
    withheld ones too: salt keeps anybody from trying all tiles until the hash is right.
    """

    def __init__(self, randomness: Callable[[int], bytes] = os.urandom) -> None:
        """Take salt from `randomness`; it means nothing when it is read."""
        self._randomness = randomness

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        message = to_message(event)
        if isinstance(message, SALTED):
            message.salt = self._randomness(SALT_BYTES)
        return part, name, SCHEMA_VERSION, message.SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_FOUND for that of a stream that is no deal."""
        if recorded.type not in _DECODERS:
            raise Refused("NOT_FOUND", "there is no such deal")
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def to_message(event: ev.Event) -> Message:  # noqa: C901, PLR0912 one case per event
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.DealDealt():
            return _dealt_message(event)
        case ev.FlowerReplaced(seat, flower, tile, may_win):
            return pb.FlowerReplaced(seat=seat, flower=flower, tile=tile, may_win=may_win)
        case ev.PlayBegan(may_win=may_win):
            return pb.PlayBegan(may_win=may_win)
        case ev.TileDrawn(seat, tile, source, may_win):
            return pb.TileDrawn(seat=seat, tile=tile, source=SOURCES[source], may_win=may_win)
        case ev.TileDiscarded(seat, tile, by, may_win):
            return pb.TileDiscarded(seat=seat, tile=tile, by=ACTED_BY[by], may_win=may_win)
        case ev.ClaimAnswered(seat, answer, by):
            return pb.ClaimAnswered(seat=seat, answer=answer_message(answer), by=ACTED_BY[by])
        case ev.TileClaimed(seat, claim):
            return pb.TileClaimed(seat=seat, claim=answer_message(claim))
        case ev.KongDeclared(seat, tiles, by):
            return pb.KongDeclared(seat=seat, concealed_tiles=tiles, by=ACTED_BY[by])
        case ev.KongAdded(seat, tile, by, may_win):
            return pb.KongAdded(seat=seat, tile=tile, by=ACTED_BY[by], may_win=may_win)
        case ev.DealEnded(outcome=outcome):
            return pb.DealEnded(outcome=outcome_message(outcome))
        case ev.WallRevealed(wall_version, seed, nonce):
            return pb.WallRevealed(wall_version=wall_version, seed=seed, nonce=nonce)
        case ev.SeatLeft(seat, reason):
            return pb.SeatLeft(seat=seat, reason=AWAY_REASONS[reason])
        case ev.SeatReturned(seat=seat):
            return pb.SeatReturned(seat=seat)
        case ev.ClockPaused(since, until):
            return pb.ClockPaused(from_time=timestamp(since), to_time=timestamp(until))


def _dealt_message(event: ev.DealDealt) -> pb.DealDealt:
    terms, wall = event.terms, event.wall
    return pb.DealDealt(
        table_id=str(terms.table_id),
        number=terms.number,
        occupants=map(occupant_message, terms.occupants),
        away=sorted(terms.away),
        limits=limits_message(terms.limits),
        pause=duration(terms.pause),
        dealer=wall.dealer,
        wall=bytes(wall.tiles),
        seed=wall.seed,
        nonce=wall.nonce,
        commitment=wall.commitment,
    )


def _dealt(data: bytes, at: datetime) -> ev.Event:
    m = pb.DealDealt.FromString(data)
    terms = DealTerms(
        table_id=UUID(m.table_id),
        number=m.number,
        occupants=tuple(map(occupant_of, m.occupants)),
        away=frozenset(m.away),
        limits=limits_of(m.limits),
        pause=m.pause.ToTimedelta(),
    )
    wall = Wall(tiles_of(m.wall), m.dealer, m.seed, m.nonce, m.commitment)
    return ev.DealDealt(terms, wall, at)


def _flower(data: bytes, at: datetime) -> ev.Event:
    m = pb.FlowerReplaced.FromString(data)
    tile = TileId(m.tile) if m.HasField("tile") else None
    return ev.FlowerReplaced(m.seat, TileId(m.flower), tile, m.may_win, at)


def _drawn(data: bytes, at: datetime) -> ev.Event:
    m = pb.TileDrawn.FromString(data)
    return ev.TileDrawn(m.seat, TileId(m.tile), key_of(SOURCES, m.source), m.may_win, at)


def _discarded(data: bytes, at: datetime) -> ev.Event:
    m = pb.TileDiscarded.FromString(data)
    return ev.TileDiscarded(m.seat, TileId(m.tile), key_of(ACTED_BY, m.by), tuple(m.may_win), at)


def _answered(data: bytes, at: datetime) -> ev.Event:
    m = pb.ClaimAnswered.FromString(data)
    return ev.ClaimAnswered(m.seat, answer_of(m.answer), key_of(ACTED_BY, m.by), at)


def _claimed(data: bytes, at: datetime) -> ev.Event:
    m = pb.TileClaimed.FromString(data)
    claim = answer_of(m.claim)
    assert not isinstance(claim, Win | Pass), "a set was claimed"
    return ev.TileClaimed(m.seat, claim, at)


def _declared(data: bytes, at: datetime) -> ev.Event:
    m = pb.KongDeclared.FromString(data)
    return ev.KongDeclared(m.seat, tiles_of(m.concealed_tiles), key_of(ACTED_BY, m.by), at)


def _added(data: bytes, at: datetime) -> ev.Event:
    m = pb.KongAdded.FromString(data)
    return ev.KongAdded(m.seat, TileId(m.tile), key_of(ACTED_BY, m.by), tuple(m.may_win), at)


def _revealed(data: bytes, at: datetime) -> ev.Event:
    m = pb.WallRevealed.FromString(data)
    return ev.WallRevealed(m.wall_version, m.seed, m.nonce, at)


def _left(data: bytes, at: datetime) -> ev.Event:
    m = pb.SeatLeft.FromString(data)
    return ev.SeatLeft(m.seat, key_of(AWAY_REASONS, m.reason), at)


def _paused(data: bytes, at: datetime) -> ev.Event:
    m = pb.ClockPaused.FromString(data)
    return ev.ClockPaused(m.from_time.ToDatetime(UTC), m.to_time.ToDatetime(UTC), at)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[ev.DealDealt][1]: _dealt,
    TYPES[ev.FlowerReplaced][1]: _flower,
    TYPES[ev.PlayBegan][1]: lambda data, at: ev.PlayBegan(pb.PlayBegan.FromString(data).may_win, at),
    TYPES[ev.TileDrawn][1]: _drawn,
    TYPES[ev.TileDiscarded][1]: _discarded,
    TYPES[ev.ClaimAnswered][1]: _answered,
    TYPES[ev.TileClaimed][1]: _claimed,
    TYPES[ev.KongDeclared][1]: _declared,
    TYPES[ev.KongAdded][1]: _added,
    TYPES[ev.DealEnded][1]: lambda data, at: ev.DealEnded(
        outcome_of(pb.DealEnded.FromString(data).outcome), at
    ),
    TYPES[ev.WallRevealed][1]: _revealed,
    TYPES[ev.SeatLeft][1]: _left,
    TYPES[ev.SeatReturned][1]: lambda data, at: ev.SeatReturned(pb.SeatReturned.FromString(data).seat, at),
    TYPES[ev.ClockPaused][1]: _paused,
}
