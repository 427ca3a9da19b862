"""Birds, and where they nest: drawings of the catalogue, smallest first."""

from __future__ import annotations

from typing import Final

from libs.rules.solitaire.art.piles import piles
from libs.rules.solitaire.catalogue_art import Drawing

BIRDS: Final[dict[str, Drawing]] = {
    # A wren with its tail up.
    "wren": piles("""
        ...2...
        1..2..1
        1122211
        1123211
        ..121..
        ..111..
    """),
    # An owl.
    "owl": piles("""
        1......1
        11111111
        12122121
        .122221.
        .112211.
        ...11...
    """),
    # A stork coming down to its nest.
    "stork": piles("""
        11...1...11
        1122.2.2211
        .122333221.
        ..1233321..
        ....232....
        ....121....
        ....121....
    """),
    # A peacock with its tail spread.
    "peacock": piles("""
        ..1.121.1..
        .111222111.
        1.2223222.1
        11112321111
        .112232211.
        ..1112111..
        ....111....
    """),
}
