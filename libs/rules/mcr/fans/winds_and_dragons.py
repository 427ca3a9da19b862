"""Fans of pungs of winds and dragons, and of terminals."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, each, fan, made_of, once
from libs.rules.mcr.tiles import DRAGONS, TERMINALS, WINDS


@fan(1, excludes=(9, 38, 49, 60, 61), excludes_in_its_sets=(73,))
def big_four_winds(hand: Completed) -> Occurrences:
    """Pungs of all four winds."""
    return made_of(hand.pungs_of(WINDS), 4)


@fan(2, excludes=(10, 54, 59), excludes_in_its_sets=(73,))
def big_three_dragons(hand: Completed) -> Occurrences:
    """Pungs of all three dragons."""
    return made_of(hand.pungs_of(DRAGONS), 3)


@fan(9, excludes=(38,), excludes_in_its_sets=(73,))
def little_four_winds(hand: Completed) -> Occurrences:
    """Pungs of three winds and a pair of the fourth."""
    return made_of(hand.pungs_of(WINDS), 3) if hand.pair in WINDS else ()


@fan(10, excludes=(54, 59), excludes_in_its_sets=(73,))
def little_three_dragons(hand: Completed) -> Occurrences:
    """Pungs of two dragons and a pair of the third."""
    return made_of(hand.pungs_of(DRAGONS), 2) if hand.pair in DRAGONS else ()


@fan(38, excludes_in_its_sets=(73,))
def big_three_winds(hand: Completed) -> Occurrences:
    """Pungs of three winds."""
    return made_of(hand.pungs_of(WINDS), 3)


@fan(54, excludes=(59,), excludes_in_its_sets=(73,))
def two_dragon_pungs(hand: Completed) -> Occurrences:
    """Pungs of two dragons."""
    return made_of(hand.pungs_of(DRAGONS), 2)


@fan(59, excludes_in_its_sets=(73,))
def dragon_pung(hand: Completed) -> Occurrences:
    """A pung of a dragon."""
    return each(hand.pungs_of(DRAGONS))


@fan(60, excludes_in_its_sets=(73,))
def prevalent_wind(hand: Completed) -> Occurrences:
    """A pung of the prevalent wind."""
    return made_of(hand.pungs_of((hand.win.prevalent_wind,)), 1)


@fan(61, excludes_in_its_sets=(73,))
def seat_wind(hand: Completed) -> Occurrences:
    """A pung of the seat's own wind."""
    return made_of(hand.pungs_of((hand.win.seat_wind,)), 1)


@fan(73)
def pung_of_terminals_or_honors(hand: Completed) -> Occurrences:
    """A pung of a terminal or an honour."""
    return each(hand.pungs_of(TERMINALS | WINDS | DRAGONS))


@fan(52)
def all_types(hand: Completed) -> Occurrences:
    """Tiles of all three suits, winds and dragons."""
    return once(
        hand.suits_missing == 0 and not hand.kinds.isdisjoint(WINDS) and not hand.kinds.isdisjoint(DRAGONS)
    )
