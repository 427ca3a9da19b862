"""Proves the levels: each is dealt anew, its certificate replayed, its difficulty measured.

What is promised of them together is held against the figures: ordinary ones rise, HARD ones stand out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import fmean
from typing import Final

from libs import kernel
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.levels import (
    DIFFICULTY_PLAYS,
    LEVEL_COUNT,
    MATCHING,
    PAIRING,
    difficulty_seed,
    is_hard,
)

BLOCK: Final = 100
WORKERS: Final = 2


@dataclass(frozen=True)
class Proved:
    """One level: whether its certificate clears it, and its difficulty."""

    level: int
    solvable: bool
    difficulty: float


@dataclass(frozen=True)
class Faults:
    """What does not hold; empty lists when the levels are as promised."""

    unsolvable: list[int]
    """Levels whose certificate does not clear them."""
    falling_blocks: list[int]
    """First levels of blocks whose ordinary levels are easier on average than those of the block before."""
    hard_too_easy: list[int]
    """HARD levels no harder than the mean of the nine before."""

    @property
    def none(self) -> bool:
        """Whether everything holds."""
        return not (self.unsolvable or self.falling_blocks or self.hard_too_easy)


def prove(number: int) -> Proved:
    """Deal a level, replay its certificate and measure it."""
    made = kernel.level_deal(number)
    board, faces = made.layout, made.faces
    solvable = replay(board, faces, board.full, made.certificate, MATCHING, PAIRING)
    seed = difficulty_seed(number)
    return Proved(
        number,
        solvable,
        kernel.difficulty(board, faces, MATCHING, PAIRING, DIFFICULTY_PLAYS, seed),
    )


def prove_block(first: int) -> list[Proved]:
    """Prove BLOCK levels from this one on."""
    return [prove(number) for number in range(first, first + BLOCK)]


def prove_all() -> Iterator[list[Proved]]:
    """Prove all levels, block after block, on two cores."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        yield from pool.map(prove_block, range(1, LEVEL_COUNT + 1, BLOCK))


def block_mean(block: Sequence[Proved]) -> float:
    """The mean difficulty of the ordinary levels of a block."""
    return fmean(one.difficulty for one in block if not is_hard(one.level))


def find_faults(blocks: Sequence[Sequence[Proved]]) -> Faults:
    """Hold blocks that follow on each other against what is promised."""
    means = [block_mean(block) for block in blocks]
    return Faults(
        unsolvable=[one.level for block in blocks for one in block if not one.solvable],
        falling_blocks=[
            block[0].level
            for block, mean, before in zip(blocks[1:], means[1:], means, strict=False)
            if mean < before
        ],
        hard_too_easy=[
            block[i].level
            for block in blocks
            for i in range(9, len(block), 10)
            if block[i].difficulty <= fmean(one.difficulty for one in block[i - 9 : i])
        ],
    )
