"""The board of the script: 34 tiles on which, step by step, there is one thing to do.

Until the shuffle each position has exactly one pair, so no learner can leave the script: first two equal
tiles, then two that those had hidden, then two different flowers, then none at all.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final

from libs.rules.solitaire.blind import BlindLine, find_blind_line
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face

MATCHING: Final = Matching.FLOWERS_SEASONS
PAIRING: Final = Pairing.BOTH_FREE
LAYOUT_NAME: Final = "sparrow"
_FACES_BY_PLACE: Final = """
    2p 1m 4m 5p 6s Se4 4m Dg Wn Ws 8s 3s 5p Dr Dw 8s We
    Ws Fl3 Dr Fl1 We Dg 9p 7m 2p Dw Wn 1m 9p 7m 6s 3s Se1
"""
FACES: Final = tuple(Face(face) for face in _FACES_BY_PLACE.split())
SECONDS_PER_ACTION: Final = 8
"""For a person who reads the sentences: what makes three minutes of the script."""


class Step(StrEnum):
    """What is asked, in this order."""

    FREE = "FREE"
    """Touch a free tile."""
    BLOCKED = "BLOCKED"
    """Touch a blocked tile."""
    PAIR = "PAIR"
    """Take a pair."""
    HINT = "HINT"
    """Ask for a hint."""
    LIT_PAIR = "LIT_PAIR"
    """Take the pair that it lit."""
    FLOWERS = "FLOWERS"
    """Take two different flowers."""
    SHUFFLE = "SHUFFLE"
    """Shuffle the blocked board."""
    CLEAR = "CLEAR"
    """Take all that is left."""
    DONE = "DONE"
    """Nothing more: the board is cleared."""


STEPS: Final = tuple(Step)


def board() -> Layout:
    """The places of the tiles."""
    return layout(LAYOUT_NAME)


@cache
def places_in_order() -> Certificate:
    """Pairs of places that empty the whole board one after the other, whatever lies there."""
    line = find_blind_line(board(), board().full, PAIRING, Prng(bytes(32)))
    assert isinstance(line, BlindLine), "the layout of the script can be cleared"
    return line.line
