"""All that trainers and analysts ask of a hand: its score and its reading, its distance, its waits."""

from __future__ import annotations

from dataclasses import dataclass

from libs.kernel import mcr as kernel
from libs.kernel.mcr import Scored
from libs.rules.mcr.decompose import Reading, Shape
from libs.rules.mcr.hand import Hand, Win, check_hand
from libs.rules.mcr.profile import Profile
from libs.rules.mcr.shanten import in_reach
from libs.rules.mcr.tiles import TileIndex


@dataclass(frozen=True, slots=True)
class Assessment:
    """A hand with all that is said about it."""

    profile: Profile
    score: Scored | None
    """None of a hand that is not complete, or has no last tile."""
    reading: Reading | None
    """How a complete hand is read."""
    has_last: bool
    """Whether there is a last tile."""
    distances: dict[Shape, int]
    """The shanten number of each shape that is possible, before the last tile."""
    waits: tuple[TileIndex, ...]
    """What completes it, before the last tile."""


def assess(hand: Hand, last: Win | None, profile: Profile) -> Assessment:
    """Work everything out: some microseconds, or a millisecond without the kernel. Raises NotAHandError."""
    check_hand(hand)
    best = kernel.score(hand, last, profile) if last is not None else None
    reading = None if best is None else best.reading(hand)
    waits = in_reach(hand, kernel.completing(hand))
    return Assessment(profile, best, reading, last is not None, kernel.shanten(hand), waits)
