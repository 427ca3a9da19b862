"""How difficulty rises over the level numbers: a data table and the functions that read it.

Two things make a board hard, measured with `difficulty`: the layout, and how many different faces its
groups of four are drawn from (few faces leave many partners to choose from). A stage names its layouts,
each with the number of faces at the first and at the last level of the stage; in between it grows evenly.
They were chosen so that the mean difficulty of a recipe's deals is near the target of the level. Which of
those deals a level is, near the target itself, its salt says (`level_salts.py`).
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


def _boards(text: str) -> tuple[Board, ...]:
    """Boards written as "layout from to", with commas between."""
    rows = (row.split() for row in text.split(","))
    return tuple(Board(name, int(faces_from), int(faces_to)) for name, faces_from, faces_to in rows)


STAGES: Final = (
    Stage(
        1,
        _boards(
            "egg 4 4, clover 5 5, seeds 4 4, ladybird 4 6, nest 4 4, wren 4 4, acorn 4 4, snowflake 4 4, "
            "cradle 4 4"
        ),
        _boards("egg 4 5, seeds 4 4, nest 4 4, sparrow 4 4, wren 7 7, acorn 8 8, cradle 6 8"),
    ),
    Stage(
        31,
        _boards(
            "egg 4 4, clover 5 5, seeds 4 4, ladybird 6 7, nest 4 4, sparrow 4 4, wren 4 4, acorn 4 4, "
            "snowflake 4 6, cradle 4 4, heart 4 4, owl 4 5, tulip 4 5, mushroom 4 4, well 7 10, "
            "feather 4 4"
        ),
        _boards(
            "egg 5 5, nest 4 4, sparrow 4 4, wren 7 8, acorn 8 9, cradle 8 8, heart 8 10, owl 9 9, "
            "tulip 10 10, mushroom 9 9"
        ),
    ),
    Stage(
        101,
        _boards(
            "sparrow 4 4, wren 4 5, acorn 4 6, snowflake 6 9, cradle 4 4, heart 4 7, owl 5 6, tulip 5 6, "
            "mushroom 4 5, well 10 10, feather 4 4, brook 4 4, bell 5 6, hive 4 5, grapes 4 4, bridge 4 4"
        ),
        _boards(
            "sparrow 4 5, wren 8 9, acorn 9 9, cradle 8 8, heart 10 10, owl 9 11, mushroom 9 10, "
            "brook 4 4, bell 12 12, grapes 9 10, bridge 6 7"
        ),
    ),
    Stage(
        301,
        _boards(
            "heart 7 8, owl 6 8, tulip 6 9, mushroom 5 6, feather 4 4, brook 4 4, bell 6 10, hive 5 8, "
            "grapes 4 8, bridge 4 5, hourglass 7 9, lake 4 4, stork 4 5, fir 4 6, gate 5 10, barn 4 4"
        ),
        _boards(
            "owl 11 11, mushroom 10 11, brook 4 5, hive 9 10, grapes 10 14, bridge 7 8, hourglass 13 15, "
            "lake 8 10, stork 8 10, fir 9 12"
        ),
    ),
    Stage(
        701,
        _boards(
            "owl 8 9, mushroom 6 10, brook 4 4, bell 10 12, grapes 8 10, bridge 5 7, hourglass 9 12, "
            "lake 4 7, stork 5 8, fir 6 9, gate 10 14, barn 4 4, peacock 8 9, haystack 7 11, carp 4 6, "
            "monastery 7 10, garden 11 13"
        ),
        _boards(
            "brook 5 6, hive 10 13, bridge 8 9, hourglass 15 16, lake 10 11, stork 10 14, fir 12 13, "
            "kite 6 8, peacock 11 14, haystack 13 16, carp 8 9, monastery 13 14, garden 15 17"
        ),
    ),
    Stage(
        1501,
        _boards(
            "brook 4 5, grapes 10 14, bridge 7 8, hourglass 12 15, lake 7 10, stork 8 10, fir 9 12, "
            "peacock 9 11, haystack 11 13, carp 6 8, monastery 10 13, garden 13 15, vase 17 20, "
            "willow 8 10, eagle 9 10, sunflower 8 10, honeycomb 10 13, church 8 11, boat 6 9"
        ),
        _boards(
            "hive 13 14, bridge 9 11, lake 11 12, stork 14 16, fir 13 14, barn 8 9, kite 8 9, "
            "peacock 14 17, haystack 16 17, carp 9 11, monastery 14 16, garden 17 19, vase 22 23, "
            "willow 11 13, eagle 14 17, sunflower 15 18, honeycomb 17 23, church 12 17, boat 11 12"
        ),
    ),
    Stage(
        2501,
        _boards(
            "bridge 8 9, lake 10 11, stork 10 14, fir 12 14, kite 6 8, peacock 11 14, haystack 13 16, "
            "carp 8 9, monastery 13 14, garden 15 18, vase 20 23, willow 10 11, eagle 10 14, "
            "sunflower 10 16, honeycomb 13 18, church 11 12, boat 9 11, swallow 7 10, carpathians 7 8, "
            "windmill 9 12"
        ),
        _boards(
            "bridge 11 13, lake 12 15, barn 9 10, kite 9 12, peacock 17 19, haystack 17 19, carp 11 15, "
            "monastery 16 18, willow 13 18, eagle 17 19, sunflower 18 22, church 17 18, boat 12 16, "
            "swallow 14 15, carpathians 9 11, windmill 17 20"
        ),
    ),
    Stage(
        4001,
        _boards(
            "lake 11 14, stork 14 16, kite 8 10, peacock 14 18, haystack 16 18, carp 9 12, "
            "monastery 14 17, garden 18 19, willow 11 16, eagle 14 18, sunflower 16 19, church 12 17, "
            "boat 11 14, swallow 10 15, carpathians 8 9, windmill 12 19, butterfly 7 8, roof 11 14, "
            "dragonfly 13 16, snail 13 15"
        ),
        _boards(
            "barn 10 13, kite 12 15, carp 15 19, monastery 18 19, willow 18 21, eagle 19 23, "
            "church 18 21, boat 16 19, swallow 15 23, carpathians 11 14, windmill 20 23, butterfly 9 10, "
            "roof 15 19, dragonfly 20 25, snail 15 19"
        ),
    ),
    Stage(
        6001,
        _boards(
            "willow 16 19, eagle 18 21, sunflower 19 23, church 17 19, boat 14 17, swallow 15 17, "
            "carpathians 9 13, windmill 19 22, roof 14 15, dragonfly 16 22, snail 15 16, mountain 10 12, "
            "eyrie 16 18, oak 17 20, arch 14 19, rosette 18 23"
        ),
        _boards(
            "willow 21 23, boat 19 21, carpathians 14 16, butterfly 10 13, roof 19 21, snail 19 25, "
            "mountain 13 15, lighthouse 6 8, eyrie 23 26, oak 24 28, arch 24 34, rosette 26 30"
        ),
    ),
    Stage(
        8001,
        _boards(
            "willow 19 23, church 19 23, boat 17 21, carpathians 13 15, roof 15 20, dragonfly 22 28, "
            "snail 16 24, mountain 12 15, eyrie 18 25, oak 20 27, arch 19 31, rosette 23 29, reeds 9 12, "
            "cliff 13 16, phoenix 19 31, fortress 17 21, rug 22 25"
        ),
        _boards(
            "carpathians 16 23, butterfly 13 18, roof 21 27, mountain 15 18, lighthouse 8 10, "
            "eyrie 26 34, oak 28 34, rosette 30 34, reeds 12 14, fortress 22 30, rug 26 30"
        ),
    ),
)


def is_hard(number: int) -> bool:
    """Whether the level is HARD: its number is divisible by 10."""
    return number % HARD_STEP == 0


def ordinary_target(number: int) -> float:
    """The difficulty that ordinary levels have on average around this number: 0.04 rising to 0.74."""
    rise: float = (number / LEVEL_COUNT) ** 0.6
    return 0.04 + 0.70 * rise


def hard_target(number: int) -> float:
    """The difficulty of a HARD level of this number."""
    return ordinary_target(number) + 0.15


def stage_board(number: int) -> tuple[str, int]:
    """Layout name and number of distinct faces of the level."""
    index = max(i for i, stage in enumerate(STAGES) if stage.first_level <= number)
    first = STAGES[index].first_level
    last = STAGES[index + 1].first_level - 1 if index + 1 < len(STAGES) else LEVEL_COUNT
    boards = STAGES[index].hard if is_hard(number) else STAGES[index].ordinary
    turn = number // HARD_STEP if is_hard(number) else number - number // HARD_STEP
    name, faces_from, faces_to = boards[turn % len(boards)]
    return name, faces_from + (faces_to - faces_from) * (number - first) // (last - first)
