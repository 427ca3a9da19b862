"""What MCR hands are worth: a question to the scorer, and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from libs.client.calls import LIST_DEADLINE_S, Calls
from libs.pb.sparrow.mcr.v1 import mcr_pb2 as pb
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2 as wire
from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import SetKind
from libs.rules.mcr.tiles import NOTATION

if TYPE_CHECKING:
    from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import McrServiceAsyncStub


class HandOutcome(StrEnum):
    """What declaring a win with a hand would come to."""

    WIN = "win"
    UNDER_8 = "under_8"
    """Complete, with less than 8 points."""
    NOT_WINNING = "not_winning"


_KINDS: Final = {
    SetKind.CHOW: pb.SET_KIND_CHOW,
    SetKind.PUNG: pb.SET_KIND_PUNG,
    SetKind.KONG: pb.SET_KIND_KONG,
}
_SHAPES: Final = {
    pb.HAND_SHAPE_REGULAR: Shape.REGULAR,
    pb.HAND_SHAPE_SEVEN_PAIRS: Shape.SEVEN_PAIRS,
    pb.HAND_SHAPE_THIRTEEN_ORPHANS: Shape.THIRTEEN_ORPHANS,
    pb.HAND_SHAPE_HONORS_AND_KNITTED: Shape.HONORS_AND_KNITTED,
    pb.HAND_SHAPE_KNITTED_STRAIGHT: Shape.KNITTED_STRAIGHT,
}
_OUTCOMES: Final = {
    pb.HAND_OUTCOME_UNSPECIFIED: None,
    pb.HAND_OUTCOME_WIN: HandOutcome.WIN,
    pb.HAND_OUTCOME_UNDER_EIGHT: HandOutcome.UNDER_8,
    pb.HAND_OUTCOME_NOT_WINNING: HandOutcome.NOT_WINNING,
}


@dataclass(frozen=True, slots=True)
class CountedFan:
    """A fan that counts, with its names."""

    number: int
    english: str
    chinese: str
    persian: str
    times: int
    points: int
    """Of all its occurrences."""


@dataclass(frozen=True, slots=True)
class ReadSet:
    """A set that a complete hand is read as."""

    kind: SetKind
    tile: str
    """The lowest of a chow; of the others, the tile."""
    melded: bool
    concealed: bool


@dataclass(frozen=True, slots=True)
class Worth:
    """What is said of a hand."""

    outcome: HandOutcome | None
    """None without a last tile."""
    fans: tuple[CountedFan, ...]
    """Highest first; flowers last."""
    points: int
    """Without flowers."""
    total: int
    shape: Shape | None
    """How a complete hand is read."""
    sets: tuple[ReadSet, ...]
    pair: str
    """Empty where there is none."""
    knitted: tuple[str, ...]
    distances: dict[Shape, int]
    """Shanten numbers before the last tile."""
    waits: tuple[str, ...]
    """Before the last tile."""


class Hands:
    """Asks the scorer."""

    def __init__(self, calls: Calls, stub: McrServiceAsyncStub) -> None:
        """Take the way of calling."""
        self._calls = calls
        self._stub = stub

    async def score(self, hand: Hand, last: Win | None = None, *, wmo: bool = False) -> Worth:
        """Say what a hand is worth, in the profile of the tables or in that of the book.

        Raises RefusedError NOT_A_HAND for what cannot be, with `field` and `fault` in its metadata.
        """
        request = wire.ScoreRequest(hand=_hand_message(hand, last), profile=_profile(wmo=wmo))
        answer = await self._calls.unary(self._stub.Score, request, LIST_DEADLINE_S)
        return _worth(answer.assessment)

    async def score_all(
        self, hands: Sequence[tuple[Hand, Win | None]], *, wmo: bool = False
    ) -> tuple[Worth, ...]:
        """Say the same of at most 200 hands."""
        asked = [_hand_message(hand, last) for hand, last in hands]
        request = wire.ScoreHandsRequest(hands=asked, profile=_profile(wmo=wmo))
        answer = await self._calls.unary(self._stub.ScoreHands, request, LIST_DEADLINE_S)
        return tuple(map(_worth, answer.assessments))


def _profile(*, wmo: bool) -> pb.ScoringProfile.ValueType:
    return pb.SCORING_PROFILE_WMO if wmo else pb.SCORING_PROFILE_MIL


def _hand_message(hand: Hand, last: Win | None) -> pb.HandToScore:
    return pb.HandToScore(
        concealed=[NOTATION[tile] for tile in hand.concealed],
        melds=[
            pb.MeldedSet(kind=_KINDS[meld.kind], tile=NOTATION[meld.tile], concealed=meld.concealed)
            for meld in hand.melds
        ],
        last=None if last is None else _last_message(last),
    )


def _last_message(last: Win) -> pb.LastTile:
    if last.self_drawn:
        source = pb.LAST_TILE_SOURCE_REPLACEMENT if last.kong_related else pb.LAST_TILE_SOURCE_DRAWN
    else:
        source = pb.LAST_TILE_SOURCE_ADDED_KONG if last.kong_related else pb.LAST_TILE_SOURCE_DISCARD
    return pb.LastTile(
        tile=NOTATION[last.tile],
        source=source,
        last_of_kind=last.last_of_kind,
        last_of_wall=last.last_tile,
        seat_wind=NOTATION[last.seat_wind],
        prevalent_wind=NOTATION[last.prevalent_wind],
        flowers=last.flowers,
    )


def _worth(message: pb.HandAssessment) -> Worth:
    reading = message.reading
    return Worth(
        outcome=_OUTCOMES[message.outcome],
        fans=tuple(map(_fan, message.fans)),
        points=message.points,
        total=message.total,
        shape=_SHAPES.get(reading.shape),
        sets=tuple(_set(one) for one in reading.sets),
        pair=reading.pair,
        knitted=tuple(reading.knitted),
        distances={_SHAPES[one.shape]: one.shanten for one in message.distances},
        waits=tuple(message.waits),
    )


def _fan(message: pb.CountedFan) -> CountedFan:
    fan = message.fan
    return CountedFan(
        number=fan.number,
        english=fan.title,
        chinese=fan.chinese_title,
        persian=fan.persian_title,
        times=message.times,
        points=message.points,
    )


def _set(message: pb.HandSet) -> ReadSet:
    kind = next(kind for kind, number in _KINDS.items() if number == message.kind)
    return ReadSet(kind, message.tile, message.melded, message.concealed)
