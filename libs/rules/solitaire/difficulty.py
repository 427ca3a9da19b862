"""The difficulty figure: the share of careful random plays that do not clear the board.

Careful plays are those of `careful.py`. 0 is a board that cannot go wrong, 1 a board that was never
cleared. The plays of a seed are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from libs.rules.solitaire.board import Matching, Pairing, match_groups
from libs.rules.solitaire.careful import careful_line
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face


def difficulty(
    layout: Layout, faces: Sequence[Face], matching: Matching, pairing: Pairing, plays: int, seed: bytes
) -> float:
    """The share, 0.0 to 1.0, of `plays` careful random plays of the whole board that get stuck."""
    prng = Prng(seed)
    stuck = sum(not clears_carefully(layout, faces, matching, pairing, prng) for _ in range(plays))
    return stuck / plays


def clears_carefully(
    layout: Layout, faces: Sequence[Face], matching: Matching, pairing: Pairing, prng: Prng
) -> bool:
    """Whether one careful random play clears the board."""
    groups = match_groups(matching, faces, layout.full)
    return careful_line(layout, groups, layout.full, pairing, prng) is not None
