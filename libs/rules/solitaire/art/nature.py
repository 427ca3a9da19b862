"""Plants, beasts and weather: drawings of the catalogue, smallest first."""

from __future__ import annotations

from typing import Final

from libs.rules.solitaire.art.piles import piles
from libs.rules.solitaire.catalogue_art import Drawing

NATURE: Final[dict[str, Drawing]] = {
    # A clover of four leaves.
    "clover": piles("""
        11.11
        12.21
        ..2..
        12.21
        11.11
    """),
    # A ladybird.
    "ladybird": piles("""
        .1221.
        121121
        121121
        .1111.
    """),
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
        2..1..2
        .1.1.1.
        ..121..
        1122211
        ..121..
        .1.1.1.
        2..1..2
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
    # A bunch of grapes.
    "grapes": piles(
        """
        12222221
        ........
        .122221.
        ........
        ..1221..
        ........
        ...11...
        """,
        (0, 1, 2, "1223221 ....... .12321. ....... ..121.."),
    ),
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
    # A sunflower.
    "sunflower": piles("""
        ...1.1.1...
        .1.11211.1.
        ...12221...
        1.1233321.1
        ..2344432..
        1.1233321.1
        ...12221...
        .1.11211.1.
        ...1.1.1...
    """),
    # A honeycomb: each row lies on the seams of the next.
    "honeycomb": (
        (0, 1, 0, ".111111. ........ 12333321 ........ 12333321 ........ .111111."),
        (0, 0, 2, ".1222221. ......... 123343321 ......... .1222221."),
    ),
    # Mountains behind mountains.
    "carpathians": piles("""
        ....1....1....
        .1..12..21..1.
        12.12311321.21
        12123422432121
        11223322332211
        11111111111111
    """),
    # A dragonfly.
    "dragonfly": piles("""
        1111...2...1111
        122211.3.112221
        .1122234322211.
        .......4.......
        ..12223432221..
        122211.3.112221
        111....3....111
        .......3.......
        .......2.......
        .......2.......
    """),
    # A snail.
    "snail": piles("""
        ...1111....1.1
        ..123321...1.1
        .12344321..121
        .12345321.1221
        .123443211222.
        ..1233211112..
        11111111111...
    """),
    # An oak on its roots.
    "oak": piles("""
        ...1112111...
        .11123332111.
        1112334332111
        1122344432211
        .11123432111.
        ...1.232.1...
        .....232.....
        ....11311....
        ...1122211...
    """),
}
