"""What people build: drawings of the catalogue, smallest first."""

from __future__ import annotations

from typing import Final

from libs.rules.solitaire.art.piles import piles
from libs.rules.solitaire.catalogue_art import Drawing

BUILDINGS: Final[dict[str, Drawing]] = {
    # A well with a bucket in it.
    "well": piles(
        """
        ..1221..
        .121121.
        12....21
        12....21
        .121121.
        ..1221..
        """,
        (0, 6, 5, "##"),
    ),
    # A fountain and its basin.
    "fountain": piles("""
        2..2..2
        .1.2.1.
        ..131..
        1112111
        .12421.
        1111111
        ...2...
    """),
    # A bell.
    "bell": piles("""
        ...1...
        ..121..
        ..232..
        .12321.
        .12321.
        1123211
        1111111
        ...2...
    """),
    # A beehive with its door.
    "hive": piles("""
        ..1111..
        .112211.
        11222211
        12233221
        1.2222.1
        .111111.
    """),
    # A carved gate, as in Maramureș.
    "gate": piles("""
        .....1.....
        ..1123211..
        11111211111
        12.12.21.21
        12.12.21.21
        12.12.21.21
        11.11.11.11
    """),
    # A barn with its doors open.
    "barn": piles("""
        ....1111....
        .1122222211.
        112234432211
        1.1.1..1.1.1
        1.1.1..1.1.1
        11111..11111
    """),
    # A monastery with three towers.
    "monastery": piles("""
        2...2...2
        3..121..3
        111111111
        122232221
        122232221
        121121121
        1.1.1.1.1
    """),
    # A wooden church with a tall spire.
    "church": piles("""
        .....2.....
        .....3.....
        ....131....
        ....242....
        ..1235321..
        .122343221.
        11223332211
        11111211111
        1.1..2..1.1
    """),
    # A belfry.
    "belfry": piles("""
        ...3...
        ..131..
        .12321.
        ..232..
        ..252..
        ..232..
        .12321.
        1223221
        1122211
        112.211
        112.211
        111.111
    """),
    # A sailing boat.
    "boat": piles("""
        ......3......
        .....121.....
        ....12321....
        ...1223221...
        ......3......
        1.....3.....1
        1112222222111
        .12233333221.
        ..112222211..
    """),
    # A pavilion: each level lies on the seams of the one below.
    "pavilion": piles(
        """
        111111111
        111111111
        111111111
        111111111
        111111111
        111111111
        111111111
        """,
        (1, 1, 1, "11111111 1......1 1......1 1......1 1......1 11111111"),
        (2, 2, 2, "2.....2 ....... ....... ....... 2.....2"),
        (1, 8, 6, "5"),
    ),
    # A windmill.
    "windmill": piles("""
        1.........1
        11.......11
        .11..1..11.
        ..2.131.2..
        ...23432...
        ...34543...
        ..2234322..
        .111232111.
        11.11211.11
        1..11211..1
    """),
    # An aqueduct.
    "aqueduct": piles("""
        2222222222222222
        1313131331313131
        2.2.2.2..2.2.2.2
        2.2.2.2..2.2.2.2
        2.2.2.2..2.2.2.2
    """),
    # An arch of triumph.
    "arch": piles("""
        ..11222211..
        112333333211
        122344443221
        1233....3321
        1233....3321
        1233....3321
        1122....2211
    """),
    # A fortress: four towers and a keep.
    "fortress": piles("""
        33..1221..33
        331112211133
        .11......11.
        .1..3443..1.
        21..4554..12
        .1..3443..1.
        .11......11.
        331112211133
        33..1221..33
    """),
}
