"""Fans of pungs of suits."""

from __future__ import annotations

from itertools import pairwise

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, fan, joined, once
from libs.rules.mcr.melds import Set
from libs.rules.mcr.tiles import SUIT_TILES, rank_of, suit_of


def _steps(pungs: list[Set]) -> set[int]:
    """By how much each is higher than the one before."""
    ranks = [rank_of(pung.tile) for pung in pungs]
    return {higher - lower for lower, higher in pairwise(ranks)}


def _suits(pungs: list[Set]) -> int:
    """How many different suits."""
    return len({suit_of(pung.tile) for pung in pungs})


@fan(15, joins=True, excludes=(23, 24, 49))
def four_pure_shifted_pungs(hand: Completed) -> Occurrences:
    """Pungs of four consecutive ranks of a suit."""
    pungs = hand.pungs_of(SUIT_TILES)
    return joined(hand, pungs, 4, lambda some: _suits(some) == 1 and _steps(some) == {1})


@fan(24, joins=True, excludes=(23,))
def pure_shifted_pungs(hand: Completed) -> Occurrences:
    """Pungs of three consecutive ranks of a suit."""
    pungs = hand.pungs_of(SUIT_TILES)
    return joined(hand, pungs, 3, lambda some: _suits(some) == 1 and _steps(some) == {1})


@fan(32, joins=True, excludes=(65,))
def triple_pung(hand: Completed) -> Occurrences:
    """Pungs of one rank in all three suits."""
    pungs = hand.pungs_of(SUIT_TILES)
    return joined(hand, pungs, 3, lambda some: _suits(some) == 3 and _steps(some) == {0})


@fan(42, joins=True)
def mixed_shifted_pungs(hand: Completed) -> Occurrences:
    """Pungs of all three suits, each one rank higher than the one before."""
    pungs = hand.pungs_of(SUIT_TILES)
    return joined(hand, pungs, 3, lambda some: _suits(some) == 3 and _steps(some) == {1})


@fan(49)
def all_pungs(hand: Completed) -> Occurrences:
    """Four pungs and a pair."""
    return once(len(hand.pungs) == 4)


@fan(65, joins=True)
def double_pung(hand: Completed) -> Occurrences:
    """Pungs of one rank in two suits."""
    return joined(hand, hand.pungs_of(SUIT_TILES), 2, lambda some: _suits(some) == 2 and _steps(some) == {0})
