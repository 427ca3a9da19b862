"""What is said about a position, in the form of the position files."""

from __future__ import annotations

from typing import Any

from libs import kernel
from libs.cli.solve.question import Question
from libs.rules.solitaire.solver import Solved, Undecided


def answer(question: Question, node_budget: int) -> dict[str, Any]:
    """The exact answers; what the budget does not decide is None, which is also "no crucial pair".

    The budget holds for solving, and once more for judging all pairs.
    """
    asked = question
    position = (asked.layout, asked.faces, asked.present, asked.matching, asked.pairing)
    solved = kernel.solve(*position, node_budget)
    free = kernel.available_pairs(*position)
    judged = kernel.preserving_pairs(*position, node_budget)
    preserving = None if judged.undecided else sorted(judged.preserving)
    return {
        "id": asked.name,
        "solvable": None if isinstance(solved, Undecided) else isinstance(solved, Solved),
        "free_pairs": [list(pair) for pair in free],
        "preserving_pairs": None if preserving is None else [list(pair) for pair in preserving],
        "crucial": list(preserving[0]) if preserving is not None and len(preserving) == 1 else None,
        "certificate": [list(pair) for pair in solved.certificate] if isinstance(solved, Solved) else None,
    }
