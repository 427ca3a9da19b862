"""Hands that are to be scored, from protobuf; what is to be said of them, to protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from libs.kernel.mcr import Scored
from libs.pb.sparrow.mcr.v1 import mcr_pb2 as pb
from libs.rules.mcr.decompose import Part, Reading, Shape
from libs.rules.mcr.hand import HELD, MELDS_MAX, Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.profile import MIL, WMO, Profile
from libs.rules.mcr.score import FLOWER_TILES, Outcome
from libs.rules.mcr.tiles import EAST, NOTATION, TileIndex, parse_tile
from libs.runtime.errors import Refused, invalid_field
from services.mcr.domain.assessing import Assessment
from services.mcr.wire.fans import ALL_FANS, fan_message

PROFILES: Final = {
    pb.SCORING_PROFILE_UNSPECIFIED: MIL,
    pb.SCORING_PROFILE_MIL: MIL,
    pb.SCORING_PROFILE_WMO: WMO,
}
_FANS: Final = {fan.number: fan for fan in ALL_FANS}
_KINDS: Final = {
    SetKind.CHOW: pb.SET_KIND_CHOW,
    SetKind.PUNG: pb.SET_KIND_PUNG,
    SetKind.KONG: pb.SET_KIND_KONG,
}
_KIND_OF: Final = {number: kind for kind, number in _KINDS.items()}
_SHAPES: Final = {
    Shape.REGULAR: pb.HAND_SHAPE_REGULAR,
    Shape.SEVEN_PAIRS: pb.HAND_SHAPE_SEVEN_PAIRS,
    Shape.THIRTEEN_ORPHANS: pb.HAND_SHAPE_THIRTEEN_ORPHANS,
    Shape.HONORS_AND_KNITTED: pb.HAND_SHAPE_HONORS_AND_KNITTED,
    Shape.KNITTED_STRAIGHT: pb.HAND_SHAPE_KNITTED_STRAIGHT,
}
_OUTCOMES: Final = {
    Outcome.WIN: pb.HAND_OUTCOME_WIN,
    Outcome.UNDER_8: pb.HAND_OUTCOME_UNDER_EIGHT,
    Outcome.NOT_WINNING: pb.HAND_OUTCOME_NOT_WINNING,
}
_SELF_DRAWN: Final = frozenset({pb.LAST_TILE_SOURCE_DRAWN, pb.LAST_TILE_SOURCE_REPLACEMENT})
_OF_KONGS: Final = frozenset({pb.LAST_TILE_SOURCE_REPLACEMENT, pb.LAST_TILE_SOURCE_ADDED_KONG})


def hand_from(message: pb.HandToScore, field: str) -> tuple[Hand, Win | None]:
    """A hand, whether or not it can be, and its last tile if there is one. Raises Refused."""
    if len(message.concealed) > HELD:
        raise not_a_hand("WRONG_COUNT", f"{field}.concealed", f"{len(message.concealed)} concealed tiles")
    if len(message.melds) > MELDS_MAX:
        raise not_a_hand("TOO_MANY_MELDS", f"{field}.melds", f"{len(message.melds)} melds")
    concealed = tuple(
        _tile(text, f"{field}.concealed[{place}]") for place, text in enumerate(message.concealed)
    )
    melds = tuple(
        Set(
            _KIND_OF[meld.kind],
            _tile(meld.tile, f"{field}.melds[{place}].tile"),
            melded=True,
            concealed=meld.concealed,
        )
        for place, meld in enumerate(message.melds)
    )
    last = _last(message.last, f"{field}.last") if message.HasField("last") else None
    return Hand(concealed, melds), last


def not_a_hand(fault: str, field: str, what: str) -> Refused:
    """The refusal of what nobody can hold, or nothing can bring about."""
    return Refused("NOT_A_HAND", f"{field}: {what}", {"fault": fault, "field": field}, field_path=field)


def assessment_message(told: Assessment) -> pb.HandAssessment:
    """All that is to be said of a hand."""
    message = pb.HandAssessment(
        distances=[
            pb.ShapeDistance(shape=_SHAPES[shape], shanten=number) for shape, number in told.distances.items()
        ],
        waits=_names(told.waits),
    )
    if told.score is not None and told.reading is not None:
        message.outcome = _OUTCOMES[told.score.outcome]
        message.fans.extend(_fans(told.score, told.profile))
        message.points, message.total = told.score.total_without_flowers, told.score.total
        message.reading.CopyFrom(_reading_message(told.reading))
    elif told.has_last:
        message.outcome = pb.HAND_OUTCOME_NOT_WINNING
    return message


def _last(message: pb.LastTile, field: str) -> Win:
    if message.source == pb.LAST_TILE_SOURCE_CONCEALED_KONG:
        raise not_a_hand("ROBBED_CONCEALED_KONG", f"{field}.source", "a concealed kong cannot be robbed")
    return Win(
        tile=_tile(message.tile, f"{field}.tile"),
        self_drawn=message.source in _SELF_DRAWN,
        last_of_kind=message.last_of_kind,
        last_tile=message.last_of_wall,
        kong_related=message.source in _OF_KONGS,
        seat_wind=_tile(message.seat_wind, f"{field}.seat_wind") if message.seat_wind else EAST,
        prevalent_wind=_tile(message.prevalent_wind, f"{field}.prevalent_wind")
        if message.prevalent_wind
        else EAST,
        flowers=message.flowers,
    )


def _tile(text: str, field: str) -> TileIndex:
    tile = parse_tile(text)
    if tile is None:
        raise invalid_field(field, 'a tile, such as "1m", "9s", "E" or "C"')
    return tile


def _fans(best: Scored, profile: Profile) -> Iterator[pb.CountedFan]:
    for number, times in best.counted:
        fan = _FANS[number]
        yield pb.CountedFan(fan=fan_message(fan, profile), times=times, points=times * profile.points(fan))
    if best.flowers:
        worth = best.flowers * FLOWER_TILES.points
        yield pb.CountedFan(fan=fan_message(FLOWER_TILES, profile), times=best.flowers, points=worth)


def _reading_message(reading: Reading) -> pb.HandReading:
    return pb.HandReading(
        shape=_SHAPES[reading.shape],
        sets=[
            pb.HandSet(
                kind=_KINDS[one.kind], tile=NOTATION[one.tile], melded=one.melded, concealed=one.concealed
            )
            for one in reading.sets
        ],
        pair="" if reading.pair is None else NOTATION[reading.pair],
        knitted=_names(reading.knitted),
        completed_set=None if isinstance(reading.completed, Part) else reading.completed,
        completed_pair=reading.completed is Part.PAIR,
    )


def _names(tiles: tuple[TileIndex, ...]) -> list[str]:
    return [NOTATION[tile] for tile in tiles]
