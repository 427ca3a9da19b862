"""The fan table, to protobuf."""

from __future__ import annotations

from typing import Final

from libs.pb.sparrow.mcr.v1 import mcr_pb2 as pb
from libs.rules.mcr.fan_names import NAMES
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS, Fan
from libs.rules.mcr.profile import MIL, Profile

ALL_FANS: Final = (*FANS, MIXED_KONGS)
"""In the order of the rule book; what it does not number comes last."""


def fan_message(fan: Fan, profile: Profile = MIL) -> pb.Fan:
    """A fan with its names and its points in a profile."""
    names = NAMES[fan.number]
    return pb.Fan(
        number=fan.number,
        title=names.english,
        points=profile.points(fan),
        chinese_title=names.chinese,
        persian_title=names.persian,
    )
