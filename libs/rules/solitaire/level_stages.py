"""How difficulty rises over the level numbers: a data table and the function that reads it."""

from __future__ import annotations

from typing import Final

HARD_STEP: Final = 10

STAGES: Final[tuple[tuple[int, tuple[str, ...], int], ...]] = (
    (1, ("egg", "seeds", "nest", "leaf", "sparrow"), 4),
    (31, ("feather", "brook"), 8),
    (101, ("bridge", "lake"), 12),
    (501, ("kite", "garden"), 20),
    (1501, ("willow", "butterfly"), 27),
    (4001, ("roof", "mountain", "reeds"), 34),
)


def stage_of(number: int) -> tuple[str, int]:
    """Layout name and number of distinct faces of the level."""
    _, names, faces = max(stage for stage in STAGES if stage[0] <= number)
    return names[number % len(names)], faces
