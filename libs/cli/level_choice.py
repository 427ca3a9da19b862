"""Chooses the salt of every level, so that measured difficulty rises: `python -m libs.cli.level_choice`.

Run once for a catalogue version: it rewrites `libs/rules/solitaire/level_salts.py`, and with it every level.
The choice follows from the code alone, so anybody gets the same file. It takes minutes with the kernel built.
"""

from __future__ import annotations

import base64
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from libs import kernel
from libs.rules.solitaire import level_salts
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.level_stages import LEVEL_COUNT, hard_target, is_hard, ordinary_target, stage_board
from libs.rules.solitaire.levels import (
    DIFFICULTY_PLAYS,
    MATCHING,
    PAIRING,
    Recipe,
    deal_recipe,
    difficulty_seed,
    level_seed,
)

BLOCK: Final = 100
SALTS: Final = 96
NEAR: Final = 0.025
"""A difficulty this near to the wanted one ends the search for a level."""
GLANCE_PLAYS: Final = 24
GLANCE_NEAR: Final = 0.14
CORRECTION_MAX: Final = 0.1
ABOVE_THE_NINE: Final = 0.08
LINE: Final = 100


def choose_block(first: int) -> list[int]:
    """The salts of a block of levels: its ordinary ones are kept on their target together."""
    salts: list[int] = []
    measured: list[float] = []
    behind = 0.0
    for number in range(first, first + BLOCK):
        if is_hard(number):
            nine = measured[-9:]
            wanted = max(hard_target(number), sum(nine) / len(nine) + ABOVE_THE_NINE)
        else:
            wanted = ordinary_target(number) + max(-CORRECTION_MAX, min(CORRECTION_MAX, behind))
        salt, figure = _choose(number, wanted)
        if not is_hard(number):
            behind += ordinary_target(number) - figure
        salts.append(salt)
        measured.append(figure)
    return salts


def _choose(number: int, wanted: float) -> tuple[int, float]:
    """The first salt whose deal is near enough to the wanted difficulty, or the nearest, and its figure."""
    best = (2.0, 0, 0.0)
    for salt in range(SALTS):
        glance = _measured(number, salt, GLANCE_PLAYS)
        if abs(glance - wanted) > GLANCE_NEAR and best[0] <= 1.0:
            continue
        figure = _measured(number, salt, DIFFICULTY_PLAYS)
        best = min(best, (abs(figure - wanted), salt, figure))
        if best[0] <= NEAR:
            break
    return best[1], best[2]


def _measured(number: int, salt: int, plays: int) -> float:
    made = Recipe(*stage_board(number))
    dealt = deal_recipe(made, level_seed(number, salt), kernel.deal)
    board = layout(made.layout_name)
    return kernel.difficulty(board, dealt.faces, MATCHING, PAIRING, plays, difficulty_seed(number))


def main() -> None:
    """Choose all salts on two cores and write them down."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        blocks = []
        for block in pool.map(choose_block, range(1, LEVEL_COUNT + 1, BLOCK)):
            blocks.append(block)
            sys.stderr.write(f"\r{BLOCK * len(blocks)} of {LEVEL_COUNT} levels")
    text = base64.b85encode(bytes(salt for block in blocks for salt in block)).decode()
    lines = "\n".join(f'    "{text[i : i + LINE]}"' for i in range(0, len(text), LINE))
    path = Path(level_salts.__file__)
    head = path.read_text(encoding="utf-8").partition("_SALTS: Final = b85decode(\n")
    path.write_text(f"{head[0]}{head[1]}{lines}\n)\n", encoding="utf-8")


if __name__ == "__main__":
    main()
