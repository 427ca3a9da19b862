"""A position with all faces known, and its solve: a question that may take seconds."""

from __future__ import annotations

from dataclasses import dataclass

from libs.kernel import solve
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.solver import Solved, Undecided, Unsolvable
from libs.rules.tiles import Face


@dataclass(frozen=True)
class Position:
    """A question to the solver."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching
    pairing: Pairing
    node_budget: int


def solve_position(position: Position) -> Solved | Unsolvable | Undecided:
    """Return the verdict; may take seconds."""
    return solve(
        position.layout,
        position.faces,
        position.present,
        position.matching,
        position.pairing,
        position.node_budget,
    )
