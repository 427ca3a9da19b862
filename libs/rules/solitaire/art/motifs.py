"""Patterns that are carved, woven and painted: drawings of the catalogue, smallest first."""

from __future__ import annotations

from typing import Final

from libs.rules.solitaire.art.piles import piles
from libs.rules.solitaire.catalogue_art import Drawing

MOTIFS: Final[dict[str, Drawing]] = {
    # A cradle between four posts.
    "cradle": piles("""
        2.....2
        2111112
        1112111
        2111112
        2.....2
    """),
    # A heart, as given in March.
    "heart": piles("""
        .11.11.
        1221221
        1123211
        .12321.
        ..121..
        ...1...
    """),
    # A round dance, hand in hand, about its musicians.
    "hora": piles("""
        ...211112...
        .21......12.
        21........12
        1....11....1
        2...1221...2
        1....11....1
        21........12
        .21......12.
        ...211112...
    """),
    # An hourglass.
    "hourglass": piles("""
        12222221
        .122221.
        ..1221..
        ...11...
        ..1221..
        .122221.
        12222221
    """),
    # A lyre.
    "lyre": piles("""
        12.....21
        .2..1..2.
        .2.121.2.
        .2.121.2.
        .2.121.2.
        .2122212.
        ..22322..
        ...121...
        ..11211..
    """),
    # A horseshoe over the door.
    "horseshoe": piles("""
        ..12222221..
        .1221111221.
        .22......22.
        12........21
        12........21
        12........21
        122......221
        .22......22.
        .11......11.
    """),
    # A vase from the potter's wheel.
    "vase": piles("""
        1112111
        .11211.
        ..121..
        .12321.
        1233321
        1234321
        1233321
        .12321.
        ..121..
        .11211.
    """),
    # A trellis: slats over slats.
    "trellis": piles("""
        .2..2..2..2.
        131131131131
        .2..2..2..2.
        131131131131
        .2..2..2..2.
        131131131131
        .2..2..2..2.
    """),
    # A painted egg with its bands.
    "easteregg": piles("""
        ...1111...
        ..122221..
        .11111111.
        1232222321
        1111111111
        1232222321
        .11111111.
        ..122221..
        ...1111...
    """),
    # A patchwork quilt.
    "quilt": piles("""
        12121212121
        21212121212
        12121212121
        21212221212
        12121212121
        21212121212
        12121212121
    """),
    # A rosette, as carved into chests.
    "rosette": piles("""
        ....121....
        ..1.111.1..
        .111121111.
        ..1223221..
        11123432111
        22234643222
        11123432111
        ..1223221..
        .111121111.
        ..1.111.1..
        ....121....
    """),
    # A wheel with eight spokes.
    "wheel": piles("""
        ....22222....
        ..22..2..22..
        .21...2...12.
        2.1...2...1.2
        2..1.131.1..2
        3333344433333
        2..1.131.1..2
        2.1...2...1.2
        .21...2...12.
        ..22..2..22..
        ....22222....
    """),
    # A woven rug with two lozenges.
    "rug": piles("""
        11111111111111
        11121111112111
        11232111123211
        1.2421..1242.1
        1.2421..1242.1
        11232111123211
        11121111112111
        11111111111111
    """),
    # A crown.
    "crown": piles("""
        2...2..3..2...2
        3...3..4..3...3
        31.13.141.31.13
        321232242232123
        222222232222222
        111111111111111
        111111111111111
    """),
}
