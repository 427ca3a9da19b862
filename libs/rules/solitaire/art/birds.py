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
        1112.2.2111
        .122333221.
        ..1234321..
        ....232....
        ....131....
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
    # An eagle.
    "eagle": piles("""
        11....2....11
        1122.121.2211
        .11122322111.
        ..123343321..
        ....23432....
        .....232.....
        ....12321....
        .....111.....
    """),
    # A swallow with its forked tail.
    "swallow": piles("""
        ......3......
        1....232....1
        112..333..211
        .12233433221.
        ..122343221..
        ....12321....
        ....22.22....
        ...22...22...
        ...1.....1...
    """),
    # An eyrie on its rock.
    "eyrie": piles("""
        ...111111...
        .1112222111.
        111344443111
        112411114211
        112411114211
        111344443111
        .1112222111.
        ...111111...
    """),
    # A phoenix.
    "phoenix": piles("""
        2......1......2
        12....121....21
        1122..232..2211
        .1122334332211.
        ..11234543211..
        ....1235321....
        .....12421.....
        ...1.12321.1...
        ..12.1.2.1.21..
        ..2..1.1.1..2..
    """),
}
