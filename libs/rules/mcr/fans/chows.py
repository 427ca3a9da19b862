"""Fans of chows."""

from __future__ import annotations

from itertools import pairwise

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.fans.rule import Occurrences, fan, joined, once
from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import SUIT_TILES, TileIndex, rank_of, suit_of


def _ranks(chows: list[Set]) -> list[int]:
    return [rank_of(chow.tile) for chow in chows]


def _steps(chows: list[Set]) -> set[int]:
    """By how much each begins higher than the one before."""
    ranks = _ranks(chows)
    return {higher - lower for lower, higher in pairwise(ranks)}


def _suits(chows: list[Set]) -> int:
    """How many different suits."""
    return len({suit_of(chow.tile) for chow in chows})


@fan(13, excludes=(19, 22, 63, 69, 72, 75, 76))
def pure_terminal_chows(hand: Completed) -> Occurrences:
    """123 and 789 twice, and a pair of fives, in one suit."""
    return once(_terminal_chows(hand, suits=1))


@fan(29, excludes=(63, 70, 72, 76))
def three_suited_terminal_chows(hand: Completed) -> Occurrences:
    """123 and 789 in two suits, and a pair of fives in the third."""
    return once(_terminal_chows(hand, suits=2))


def _terminal_chows(hand: Completed, suits: int) -> bool:
    """123 and 789 of each suit, twice when it is one; a pair of fives of it, or of the third of two."""
    if hand.pair is None or len(hand.chows) != 4 or rank_of(hand.pair) != 5:
        return False
    chows = [hand.sets[index].tile for index in hand.chows]
    lows = sorted(tile for tile in chows if rank_of(tile) == 1)
    highs = sorted(tile for tile in chows if rank_of(tile) == 7)
    chow_suits = {suit_of(tile) for tile in lows}
    paired = highs == [TileIndex(tile + 6) for tile in lows] and len(lows) == 2
    return paired and len(chow_suits) == suits and (suit_of(hand.pair) in chow_suits) == (suits == 1)


@fan(14, joins=True, excludes=(23, 64, 69, 24))
def quadruple_chow(hand: Completed) -> Occurrences:
    """Four equal chows."""
    return joined(hand, hand.chows, 4, lambda chows: _suits(chows) == 1 and _steps(chows) == {0})


@fan(16, joins=True, excludes=(30, 71, 72))
def four_pure_shifted_chows(hand: Completed) -> Occurrences:
    """Four chows of a suit, each one or each two higher than the one before."""
    return joined(hand, hand.chows, 4, lambda chows: _suits(chows) == 1 and _steps(chows) in ({1}, {2}))


@fan(23, joins=True, excludes=(24,), excludes_in_its_sets=(69,))
def pure_triple_chow(hand: Completed) -> Occurrences:
    """Three equal chows."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 1 and _steps(chows) == {0})


@fan(28, joins=True, excludes_in_its_sets=(71, 72))
def pure_straight(hand: Completed) -> Occurrences:
    """123, 456 and 789 of a suit."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 1 and _ranks(chows) == [1, 4, 7])


@fan(30, joins=True, excludes_in_its_sets=(71, 72))
def pure_shifted_chows(hand: Completed) -> Occurrences:
    """Three chows of a suit, each one or each two higher than the one before."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 1 and _steps(chows) in ({1}, {2}))


@fan(39, joins=True)
def mixed_straight(hand: Completed) -> Occurrences:
    """123, 456 and 789, each of another suit."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 3 and _ranks(chows) == [1, 4, 7])


@fan(41, joins=True, excludes_in_its_sets=(70,))
def mixed_triple_chow(hand: Completed) -> Occurrences:
    """The same chow in all three suits."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 3 and _steps(chows) == {0})


@fan(51, joins=True)
def mixed_shifted_chows(hand: Completed) -> Occurrences:
    """Chows of all three suits, each one higher than the one before."""
    return joined(hand, hand.chows, 3, lambda chows: _suits(chows) == 3 and _steps(chows) == {1})


@fan(63, excludes=(76,))
def all_chows(hand: Completed) -> Occurrences:
    """Chows alone and a pair of a suit; a knitted straight stands for three chows."""
    shapes = (Shape.REGULAR, Shape.KNITTED_STRAIGHT)
    return once(hand.reading.shape in shapes and not hand.pungs and hand.pair in SUIT_TILES)


@fan(69, joins=True)
def pure_double_chow(hand: Completed) -> Occurrences:
    """Two equal chows."""
    return joined(hand, hand.chows, 2, lambda chows: _suits(chows) == 1 and _steps(chows) == {0})


@fan(70, joins=True)
def mixed_double_chow(hand: Completed) -> Occurrences:
    """The same chow in two suits."""
    return joined(hand, hand.chows, 2, lambda chows: _suits(chows) == 2 and _steps(chows) == {0})


@fan(71, joins=True)
def short_straight(hand: Completed) -> Occurrences:
    """Two chows of a suit that follow each other, such as 234 and 567."""
    return joined(hand, hand.chows, 2, lambda chows: _suits(chows) == 1 and _steps(chows) == {3})


@fan(72, joins=True)
def two_terminal_chows(hand: Completed) -> Occurrences:
    """123 and 789 of a suit."""
    return joined(hand, hand.chows, 2, lambda chows: _suits(chows) == 1 and _ranks(chows) == [1, 7])
