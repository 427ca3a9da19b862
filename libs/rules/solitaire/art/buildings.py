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
    # A carved gate, as in Maramureș.
    "gate": piles("""
        ....111....
        ..1122211..
        11111111111
        12.12.21.21
        12.12.21.21
        12.12.21.21
        11.11.11.11
    """),
    # A barn with its doors open.
    "barn": piles("""
        ...111111...
        .1122222211.
        112233332211
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
}
