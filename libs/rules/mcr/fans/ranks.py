"""Fans of which ranks there are."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, fan, once
from libs.rules.mcr.tiles import ORPHANS, TERMINALS, rank_of, ranked


@fan(8, excludes=(18, 49, 55, 65, 73, 76))
def all_terminals(hand: Completed) -> Occurrences:
    """Ones and nines alone."""
    return once(hand.all_in(TERMINALS))


@fan(18, excludes=(49, 55, 73))
def all_terminals_and_honors(hand: Completed) -> Occurrences:
    """Ones, nines and honours alone."""
    return once(hand.all_in(ORPHANS))


@fan(21, excludes=(49, 68, 76))
def all_even_pungs(hand: Completed) -> Occurrences:
    """Four pungs and a pair of twos, fours, sixes and eights."""
    return once(len(hand.pungs) == 4 and all(rank_of(tile) in {2, 4, 6, 8} for tile in hand.kinds))


@fan(25, excludes=(36, 76))
def upper_tiles(hand: Completed) -> Occurrences:
    """Sevens, eights and nines alone."""
    return once(hand.all_in(ranked(7, 9)))


@fan(26, excludes=(68, 76))
def middle_tiles(hand: Completed) -> Occurrences:
    """Fours, fives and sixes alone."""
    return once(hand.all_in(ranked(4, 6)))


@fan(27, excludes=(37, 76))
def lower_tiles(hand: Completed) -> Occurrences:
    """Ones, twos and threes alone."""
    return once(hand.all_in(ranked(1, 3)))


@fan(31, excludes=(68, 76))
def all_fives(hand: Completed) -> Occurrences:
    """A five in each set and in the pair."""
    return once(hand.each_part(lambda tiles: any(rank_of(tile) == 5 for tile in tiles)))


@fan(36, excludes=(76,))
def upper_four(hand: Completed) -> Occurrences:
    """Sixes to nines alone."""
    return once(hand.all_in(ranked(6, 9)))


@fan(37, excludes=(76,))
def lower_four(hand: Completed) -> Occurrences:
    """Ones to fours alone."""
    return once(hand.all_in(ranked(1, 4)))


@fan(55)
def outside_hand(hand: Completed) -> Occurrences:
    """A terminal or an honour in each set and in the pair."""
    return once(hand.each_part(lambda tiles: any(tile in ORPHANS for tile in tiles)))


@fan(68, excludes=(76,))
def all_simples(hand: Completed) -> Occurrences:
    """Neither terminals nor honours."""
    return once(hand.all_in(ranked(2, 8)))
