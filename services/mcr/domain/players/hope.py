"""What a hand brings in on average, by how far it is from 8 points and how much of the wall is left.

Counts too: what players who plan won, lost payments not counted, in 500 deals of four of them.
"""

from __future__ import annotations

from typing import Final

_TILES: Final = 12
_BY_DISTANCE: Final = (
    (6.0, 11.0, 16.0, 17.5, 20.0, 25.0, 33.0, 36.0),
    (1.0, 2.5, 3.5, 7.0, 9.5, 12.5, 17.0, 24.0),
    (0.1, 0.3, 0.7, 2.2, 4.7, 7.0, 11.5, 15.5),
    (0.1, 0.1, 0.3, 1.0, 3.0, 5.5, 8.0, 11.5),
    (0.1, 0.1, 0.2, 0.5, 2.0, 4.0, 6.5, 7.5),
)
"""By the tiles missing, from 1 on, and by tiles of the wall in dozens."""


def hope_of(nearest: int, wall_left: int) -> float:
    """Points that a hand brings in which misses so many tiles."""
    row = _BY_DISTANCE[min(nearest, len(_BY_DISTANCE)) - 1]
    return row[min(wall_left // _TILES, len(row) - 1)]
