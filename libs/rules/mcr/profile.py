"""Profiles: where the books and the tables differ, each point a named switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from libs.rules.mcr.fans_table import Fan


@dataclass(frozen=True)
class Profile:
    """One way to decide the contested points."""

    name: str
    two_concealed_kongs: int
    """Points of fan 48."""
    mixed_kongs: int
    """Points of one concealed and one melded kong, which has no number in the rule book."""
    fully_concealed_by_nature: bool
    """A self-drawn hand that cannot but be concealed (seven pairs, nine gates, ...) counts fan 56, not 80."""
    straight_among_honors: bool
    """Fan 35 is added to fan 34 when all nine knitted tiles are there."""
    wait_in_straight: bool = True
    """A last tile that could be one of the nine knitted tiles may count as edge, closed or single wait."""
    exhausted_wait: bool = True
    """A tile of which the hand itself holds all copies still is a second wait."""

    def points(self, fan: Fan) -> int:
        """What one occurrence of a fan is worth."""
        if fan.number == 48:
            return self.two_concealed_kongs
        return self.mixed_kongs if fan.number == 82 else fan.points


MIL: Final = Profile(
    "mil",
    two_concealed_kongs=6,
    mixed_kongs=5,
    fully_concealed_by_nature=False,
    straight_among_honors=True,
)
"""What the public calculators and most tables on the net count."""
WMO: Final = Profile(
    "wmo",
    two_concealed_kongs=8,
    mixed_kongs=6,
    fully_concealed_by_nature=True,
    straight_among_honors=False,
)
"""The book of the World Mahjong Organization, as others quote it."""
PROFILES: Final = {profile.name: profile for profile in (MIL, WMO)}
