"""Small boards for tests, and the recorded positions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face

OWN_DATA: Final = Path(__file__).parents[3] / "data" / "solitaire"
SHARED_DATA: Final = Path(__file__).parents[5] / "shared" / "data" / "solitaire"

ROW_OF_4: Final = Layout.parse("row", [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0)])
STACK_OF_2: Final = Layout.parse("stack", [(0, 0, 0), (0, 0, 1)])
TWO_STACKS: Final = Layout.parse("two stacks", [(0, 0, 0), (0, 0, 1), (4, 0, 0), (4, 0, 1)])


def faces(text: str) -> tuple[Face, ...]:
    """Faces from their notation, separated by spaces."""
    return tuple(Face(name) for name in text.split())


def pairs(raw: list[list[int]]) -> tuple[tuple[int, int], ...]:
    """Pairs as the rules write them."""
    return tuple((first, second) for first, second in raw)


@dataclass(frozen=True)
class Recorded:
    """One line of a position file: a position and the exact answers about it."""

    name: str
    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching
    pairing: Pairing
    solvable: bool
    available: tuple[tuple[int, int], ...]
    preserving: tuple[tuple[int, int], ...]
    crucial: tuple[int, int] | None
    lift_only: tuple[tuple[int, int], ...] | None


_FILES: Final = [
    folder / name for folder in (OWN_DATA, SHARED_DATA) for name in ("positions.jsonl", "lift.jsonl")
]
each_file = pytest.mark.parametrize(
    "file", [pytest.param(f, id=f"{f.parents[2].name}-{f.stem}") for f in _FILES if f.exists()]
)
"""The repository's files of positions, and those beside it where they are there."""


@cache
def recorded(file: Path) -> list[Recorded]:
    """All positions of the file, read once; see tests/data/solitaire/FORMAT.md."""
    return [_read(json.loads(line)) for line in file.read_text().splitlines()]


def _read(line: dict[str, Any]) -> Recorded:
    return Recorded(
        name=line["id"],
        layout=Layout.parse(line["layout_name"], [(x, y, z) for x, y, z in line["layout"]]),
        faces=tuple(line["faces"]),
        present=mask_of(line["present"]),
        matching=Matching(line["match"]),
        pairing=Pairing(line.get("pairing", "both_free")),
        solvable=line["solvable"],
        available=pairs(line["free_pairs"]),
        preserving=pairs(line["preserving_pairs"]),
        crucial=None if line["crucial"] is None else pairs([line["crucial"]])[0],
        lift_only=pairs(line["lift_only_pairs"]) if "lift_only_pairs" in line else None,
    )
