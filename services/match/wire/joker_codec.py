"""Facts of jokers to stored messages and back: the same for attempts and rounds."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from libs.pb.sparrow.match.v1 import round_event_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from services.match.commands import GiveUpReason
from services.match.events import JokerGivenUp, JokerRequested, JokerUsed

FAILURES: Final = {
    GiveUpReason.NONE_OWNED: pb.JOKER_FAILURE_NONE_OWNED,
    GiveUpReason.TOO_LATE: pb.JOKER_FAILURE_TOO_LATE,
}
_REASONS: Final = {number: reason for reason, number in FAILURES.items()}


def joker_message(event: JokerRequested | JokerUsed | JokerGivenUp) -> Message:
    """The message that is stored for a fact of a joker."""
    match event:
        case JokerRequested(seat=seat, number=number, first=first, second=second):
            pair = solitaire_pb2.TilePair(first=first, second=second)
            return pb.JokerRequested(seat=seat, number=number, pair=pair)
        case JokerUsed(seat=seat, number=number, first=first, second=second):
            pair = solitaire_pb2.TilePair(first=first, second=second)
            return pb.JokerUsed(
                seat=seat, number=number, pair=pair, worth=event.worth, round_score=event.round_score
            )
        case JokerGivenUp(seat=seat, number=number, reason=reason):
            return pb.JokerGivenUp(seat=seat, number=number, failure=FAILURES[reason])


def joker_requested(data: bytes, at: datetime) -> JokerRequested:
    """The stored request."""
    message = pb.JokerRequested.FromString(data)
    return JokerRequested(message.seat, message.number, message.pair.first, message.pair.second, at)


def joker_used(data: bytes, at: datetime) -> JokerUsed:
    """The stored use."""
    message = pb.JokerUsed.FromString(data)
    first, second = message.pair.first, message.pair.second
    return JokerUsed(message.seat, message.number, first, second, message.worth, message.round_score, at)


def joker_given_up(data: bytes, at: datetime) -> JokerGivenUp:
    """The stored end of a request that came to nothing."""
    message = pb.JokerGivenUp.FromString(data)
    return JokerGivenUp(message.seat, message.number, _REASONS[message.failure], at)
