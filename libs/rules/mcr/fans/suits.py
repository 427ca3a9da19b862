"""Fans of which suits there are, and of the pictures on the tiles."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, fan, once
from libs.rules.mcr.tiles import GREEN, HONORS, REVERSIBLE


@fan(3, excludes=(50, 75))
def all_green(hand: Completed) -> Occurrences:
    """Green tiles alone: 2, 3, 4, 6 and 8 of bamboos and the green dragon."""
    return once(hand.all_in(GREEN))


@fan(11, excludes=(18, 49, 55, 73, 75))
def all_honors(hand: Completed) -> Occurrences:
    """Winds and dragons alone."""
    return once(hand.all_in(HONORS))


@fan(22, excludes=(50, 75, 76))
def full_flush(hand: Completed) -> Occurrences:
    """Tiles of one suit alone."""
    return once(hand.suits_missing == 2 and hand.kinds.isdisjoint(HONORS))


@fan(40, excludes=(75,))
def reversible_tiles(hand: Completed) -> Occurrences:
    """Tiles alone that look the same upside down: 1234589 of circles, 245689 of bamboos, the white dragon."""
    return once(hand.all_in(REVERSIBLE))


@fan(50, excludes=(75,))
def half_flush(hand: Completed) -> Occurrences:
    """Tiles of one suit, and honours."""
    return once(hand.suits_missing == 2 and not hand.kinds.isdisjoint(HONORS))


@fan(75)
def one_voided_suit(hand: Completed) -> Occurrences:
    """Tiles of two suits, and none of the third."""
    return once(hand.suits_missing == 1)


@fan(76)
def no_honors(hand: Completed) -> Occurrences:
    """Neither winds nor dragons."""
    return once(hand.kinds.isdisjoint(HONORS))
