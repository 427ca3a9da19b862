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
}
