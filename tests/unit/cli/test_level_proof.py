"""What `sparrow levels verify` proves, on samples; and that it sees what is wrong."""

from __future__ import annotations

from dataclasses import replace

from libs.cli.level_proof import Proved, find_faults, prove_block
from libs.rules.solitaire.levels import is_hard

BLOCKS = (1, 101, 5_001, 10_901)


def block(first: int, ordinary: float, hard: float) -> list[Proved]:
    """A hundred levels with these difficulties."""
    return [Proved(n, True, hard if is_hard(n) else ordinary) for n in range(first, first + 100)]


def test_sampled_blocks_are_solvable_rise_and_have_hard_levels_that_stand_out() -> None:
    """The first two blocks, one from the middle and the last."""
    assert find_faults([prove_block(first) for first in BLOCKS]).none


def test_levels_as_promised_have_no_faults() -> None:
    """Equal blocks do not fall."""
    assert find_faults([block(1, 0.2, 0.3), block(101, 0.2, 0.3)]).none


def test_a_level_that_is_not_cleared_is_named() -> None:
    """By its number."""
    levels = block(1, 0.2, 0.3)
    levels[41] = replace(levels[41], solvable=False)

    assert find_faults([levels]).unsolvable == [42]


def test_a_block_that_falls_is_named_and_a_hard_level_that_does_not_stand_out() -> None:
    """By first level, and by number."""
    faults = find_faults([block(1, 0.5, 0.6), block(101, 0.4, 0.4)])

    assert faults.falling_blocks == [101]
    assert faults.hard_too_easy == list(range(110, 201, 10))
