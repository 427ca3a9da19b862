"""What pairs are worth in the pool, and what help costs.

A pair is worth the value of its set times the pairs on the board before it is taken: the first pair of the
144 tiles 72 times (bamboos 3 x 72 = 216), the next one 71 times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from libs.rules.tiles import BAMBOOS, CHARACTERS, CIRCLES, DRAGONS, FLOWERS, SEASONS, WINDS, Face
from services.match.domain.pool.terms import CHARGE_FACTOR

SET_VALUES: Final[Mapping[Face, int]] = {
    face: value
    for value, faces in enumerate((CHARACTERS, CIRCLES, BAMBOOS, WINDS, DRAGONS, FLOWERS, SEASONS), 1)
    for face in faces
}
"""By face: characters 1, circles 2, bamboos 3, winds 4, dragons 5, flowers 6, seasons 7."""


def pair_value(first: Face, second: Face) -> int:
    """The value of the set of two matching faces; a flower with a season counts as seasons."""
    return max(SET_VALUES[first], SET_VALUES[second])


def pair_worth(first: Face, second: Face, pairs_on_board: int) -> int:
    """What a pair brings that is taken from a board of so many pairs."""
    return pair_value(first, second) * pairs_on_board


def charge(pairs_on_board: int) -> int:
    """What an undo, a shuffle or a hint costs on a board of so many pairs."""
    return CHARGE_FACTOR * pairs_on_board
