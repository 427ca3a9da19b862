"""How difficulty rises over the level numbers: a data table and the functions that read it.

Two things make a board hard, measured with `difficulty`: the layout, and how many different faces its
groups of four are drawn from (few faces leave many partners to choose from). A stage names its layouts,
each with the number of faces at the first and at the last level of the stage; in between it grows evenly.
HARD levels take the stage's hard layouts, which are above the stage's ordinary ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

LEVEL_COUNT: Final = 11_000
HARD_STEP: Final = 10


class Board(NamedTuple):
    """A layout and its number of distinct faces at the first and at the last level of a stage."""

    layout_name: str
    faces_from: int
    faces_to: int


@dataclass(frozen=True)
class Stage:
    """A run of levels up to the first level of the next stage."""

    first_level: int
    ordinary: tuple[Board, ...]
    hard: tuple[Board, ...]


STAGES: Final = (
    Stage(
        1,
        (Board("egg", 3, 5), Board("nest", 3, 5), Board("leaf", 3, 5), Board("sparrow", 3, 5)),
        (Board("sparrow", 8, 8),),
    ),
    Stage(
        31,
        (Board("seeds", 4, 6), Board("bridge", 4, 6), Board("feather", 4, 5), Board("nest", 6, 7)),
        (Board("brook", 8, 10),),
    ),
    Stage(
        101,
        (Board("bridge", 7, 8), Board("lake", 7, 11), Board("feather", 6, 9), Board("garden", 13, 16)),
        (Board("brook", 12, 13), Board("butterfly", 13, 16)),
    ),
    Stage(
        501,
        (Board("lake", 12, 16), Board("kite", 9, 12), Board("garden", 17, 20), Board("willow", 17, 24)),
        (Board("butterfly", 17, 22), Board("lighthouse", 8, 10)),
    ),
    Stage(
        2001,
        (Board("kite", 13, 19), Board("roof", 14, 20), Board("butterfly", 10, 16), Board("mountain", 10, 12)),
        (Board("mountain", 17, 24), Board("lighthouse", 11, 13)),
    ),
    Stage(
        5001,
        (Board("butterfly", 14, 27), Board("roof", 18, 30), Board("cliff", 12, 18), Board("reeds", 10, 13)),
        (Board("reeds", 18, 24), Board("lighthouse", 14, 17)),
    ),
    Stage(
        8001,
        (
            Board("mountain", 14, 16),
            Board("cliff", 15, 22),
            Board("reeds", 12, 17),
            Board("lighthouse", 10, 12),
        ),
        (Board("lighthouse", 18, 34),),
    ),
)


def is_hard(number: int) -> bool:
    """Whether the level is HARD: its number is divisible by 10."""
    return number % HARD_STEP == 0


def stage_board(number: int) -> tuple[str, int]:
    """Layout name and number of distinct faces of the level."""
    index = max(i for i, stage in enumerate(STAGES) if stage.first_level <= number)
    first = STAGES[index].first_level
    last = STAGES[index + 1].first_level - 1 if index + 1 < len(STAGES) else LEVEL_COUNT
    boards = STAGES[index].hard if is_hard(number) else STAGES[index].ordinary
    turn = number // HARD_STEP if is_hard(number) else number
    name, faces_from, faces_to = boards[turn % len(boards)]
    return name, faces_from + (faces_to - faces_from) * (number - first) // (last - first)
