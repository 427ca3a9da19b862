"""Plants, beasts and weather: drawings of the catalogue, smallest first."""

from __future__ import annotations

from typing import Final

from libs.rules.solitaire.art.piles import piles
from libs.rules.solitaire.catalogue_art import Drawing

NATURE: Final[dict[str, Drawing]] = {
    # An acorn, its cup above.
    "acorn": piles("""
        .1221.
        122221
        111111
        .1221.
        ..33..
    """),
    # A snowflake.
    "snowflake": piles("""
        1..1..1
        .1.1.1.
        ..131..
        1124211
        ..131..
        .1.1.1.
        1..1..1
    """),
    # A tulip over its leaves.
    "tulip": piles("""
        1.1.1
        21212
        22322
        .222.
        .121.
        1.1.1
        11211
        ..1..
    """),
    # A mushroom.
    "mushroom": piles("""
        ..121..
        .12321.
        1223221
        1122211
        ...1...
        ...1...
        ..121..
    """),
    # A fir.
    "fir": piles("""
        ....2....
        ...131...
        ..12321..
        ...121...
        .1223221.
        .1123211.
        122232221
        ....3....
        ...121...
    """),
    # A haystack.
    "haystack": piles("""
        ...1111...
        ..122221..
        .12333321.
        .12333321.
        1122222211
        1111111111
    """),
    # A carp, seen from its side.
    "carp": piles("""
        ..12221...2
        .122332.112
        11234321122
        .122332.112
        ..12221...2
    """),
}
