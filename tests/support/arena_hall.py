"""Arenas on their way."""

from __future__ import annotations

from libs.pb.sparrow.match.v1 import match_pb2
from tests.support.round_player import Hall, RoundPlayer


async def begin_arena(hall: Hall, four: list[RoundPlayer]) -> str:
    """Seat four players, let the countdown pass, and return the match's name."""
    name = await hall.meet_in_arena(four)
    hall.step(seconds=3)
    return name


async def idle_round(hall: Hall, four: list[RoundPlayer], name: str) -> match_pb2.Match:
    """Let the round end for want of pairs, and see the match as it stands then."""
    hall.step(seconds=21)
    return await four[0].get(name)
