"""The fans, a module for each family; numbers are those of the rule book, also in what excludes what.

Two are no rules about a hand: 43 Chicken Hand is what counts when nothing else does, and 81 Flower Tiles are
added to what has been counted.
"""

from __future__ import annotations

from typing import Final

from libs.rules.mcr.fans import (
    chows,
    concealment,
    kongs,
    last_tile,
    pungs,
    ranks,
    special_shapes,
    suits,
    winds_and_dragons,
)
from libs.rules.mcr.fans.rule import Rule

_FAMILIES: Final = (
    winds_and_dragons,
    kongs,
    concealment,
    special_shapes,
    suits,
    ranks,
    chows,
    pungs,
    last_tile,
)

RULES: Final = tuple(
    sorted(
        (rule for family in _FAMILIES for rule in vars(family).values() if isinstance(rule, Rule)),
        key=lambda rule: rule.fan.number,
    )
)
"""All but Chicken Hand and Flower Tiles, in the order of the rule book."""
