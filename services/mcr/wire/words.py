"""Words that deals and tables share, to protobuf and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.mcr.v1 import deal_pb2 as pb
from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import Answer, Chow, Kong, Pass, Pung, Win
from services.mcr.domain.deal.terms import Ai, AiLevel, AwayReason, By, Limits, Occupant, Person, Source

K = TypeVar("K")
V = TypeVar("V")

AI_LEVELS: Final = {
    AiLevel.EASY: pb.AI_LEVEL_EASY,
    AiLevel.MIDDLE: pb.AI_LEVEL_MIDDLE,
    AiLevel.STRONG: pb.AI_LEVEL_STRONG,
}
ACTED_BY: Final = {
    By.PLAYER: pb.ACTED_BY_PLAYER,
    By.AI: pb.ACTED_BY_AI,
    By.TIME: pb.ACTED_BY_TIME,
}
AWAY_REASONS: Final = {
    AwayReason.LEFT: pb.AWAY_REASON_LEFT,
    AwayReason.LOST: pb.AWAY_REASON_LOST,
}
SOURCES: Final = {
    Source.WALL: pb.TILE_SOURCE_WALL,
    Source.KONG: pb.TILE_SOURCE_KONG,
    Source.FLOWER: pb.TILE_SOURCE_FLOWER,
}
CLAIMS: Final = {
    Pass: pb.CLAIM_KIND_PASS,
    Win: pb.CLAIM_KIND_WIN,
    Pung: pb.CLAIM_KIND_PUNG,
    Kong: pb.CLAIM_KIND_KONG,
    Chow: pb.CLAIM_KIND_CHOW,
}


def key_of(table: Mapping[K, V], value: V) -> K:
    """The word behind a stored number."""
    return next(key for key, number in table.items() if number == value)


def tiles_of(numbers: Iterable[int]) -> Tiles:
    """Stored tiles."""
    return tuple(map(TileId, numbers))


def occupant_message(occupant: Occupant) -> pb.Occupant:
    """Who sits on a seat."""
    match occupant:
        case Person(account_id=account_id):
            return pb.Occupant(account_id=str(account_id))
        case Ai(level=level):
            return pb.Occupant(ai_level=AI_LEVELS[level])


def occupant_of(message: pb.Occupant) -> Occupant:
    """Who sits on a stored seat."""
    if message.account_id:
        return Person(UUID(message.account_id))
    return Ai(key_of(AI_LEVELS, message.ai_level))


def limits_message(limits: Limits) -> pb.Limits:
    """How long seats may take."""
    return pb.Limits(turn=duration(limits.turn), claim=duration(limits.claim), hold=duration(limits.hold))


def limits_of(message: pb.Limits) -> Limits:
    """The stored limits."""
    return Limits(message.turn.ToTimedelta(), message.claim.ToTimedelta(), message.hold.ToTimedelta())


def answer_message(answer: Answer) -> pb.Claim:
    """An answer while a tile is offered."""
    tiles = () if isinstance(answer, Win | Pass) else answer.tiles
    return pb.Claim(kind=CLAIMS[type(answer)], tiles=tiles)


def answer_of(message: pb.Claim) -> Answer:
    """The stored answer."""
    tiles = tiles_of(message.tiles)
    match message.kind:
        case pb.CLAIM_KIND_WIN:
            return Win()
        case pb.CLAIM_KIND_PUNG:
            return Pung(tiles)
        case pb.CLAIM_KIND_KONG:
            return Kong(tiles)
        case pb.CLAIM_KIND_CHOW:
            return Chow(tiles)
        case _:
            return Pass()


def duration(span: timedelta) -> Duration:
    """A span of time."""
    message = Duration()
    message.FromTimedelta(span)
    return message


def timestamp(at: datetime) -> Timestamp:
    """An instant, to the microsecond."""
    message = Timestamp()
    message.FromDatetime(at)
    return message
