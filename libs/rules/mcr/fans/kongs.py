"""Fans of kongs and of four equal tiles."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, each, fan, made_of
from libs.rules.mcr.tiles import COPIES


@fan(5, excludes=(17, 48, 49, 57, 67, 74, 79, 82))
def four_kongs(hand: Completed) -> Occurrences:
    """Four kongs, concealed or melded."""
    return made_of(hand.kongs(concealed=True) + hand.kongs(concealed=False), 4)


@fan(17, excludes=(48, 57, 67, 74, 82))
def three_kongs(hand: Completed) -> Occurrences:
    """Three kongs, concealed or melded."""
    return made_of(hand.kongs(concealed=True) + hand.kongs(concealed=False), 3)


@fan(48, excludes=(66, 67))
def two_concealed_kongs(hand: Completed) -> Occurrences:
    """Two concealed kongs."""
    return made_of(hand.kongs(concealed=True), 2)


@fan(57, excludes=(74,))
def two_melded_kongs(hand: Completed) -> Occurrences:
    """Two melded kongs."""
    return made_of(hand.kongs(concealed=False), 2)


@fan(82, excludes=(67, 74))
def concealed_kong_and_melded_kong(hand: Completed) -> Occurrences:
    """One concealed and one melded kong; the rule book speaks of it under 57."""
    concealed, melded = hand.kongs(concealed=True), hand.kongs(concealed=False)
    return made_of(concealed + melded, 2) if concealed and melded else ()


@fan(67)
def concealed_kong(hand: Completed) -> Occurrences:
    """A concealed kong."""
    return each(hand.kongs(concealed=True))


@fan(74)
def melded_kong(hand: Completed) -> Occurrences:
    """A melded kong."""
    return each(hand.kongs(concealed=False))


@fan(64)
def tile_hog(hand: Completed) -> Occurrences:
    """All four copies of a suit tile or honour, not as a kong."""
    kongs = {one.tile for one in hand.sets if one.is_kong}
    return [() for tile in hand.kinds if hand.counts[tile] == COPIES and tile not in kongs]
