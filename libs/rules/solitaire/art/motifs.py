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
}
