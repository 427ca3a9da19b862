"""Fans of hands that are not four sets and a pair, and of nine gates, which stand on their waits."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.fans.rule import Occurrences, fan, once
from libs.rules.mcr.tiles import HONORS, TERMINALS, counted, rank_of

_GATES = [3, 1, 1, 1, 1, 1, 1, 1, 3]
"""How many of each rank."""


@fan(4, excludes=(22, 62, 75, 76), excludes_in_its_sets=(73,), concealed_by_nature=True)
def nine_gates(hand: Completed) -> Occurrences:
    """1112345678999 of one suit, concealed, and any tile of the suit.

    One pung of terminals, which the thirteen tiles have for certain, is part of it.
    """
    if hand.hand.melds or len(hand.suits) != 1:
        return ()
    suit = min(hand.suits)
    if counted(hand.hand.concealed)[9 * suit : 9 * suit + 9] != _GATES:
        return ()
    return (hand.pungs_of(TERMINALS)[:1],)


@fan(6, excludes=(19, 22, 75, 76, 79), concealed_by_nature=True)
def seven_shifted_pairs(hand: Completed) -> Occurrences:
    """Seven pairs of consecutive ranks in one suit."""
    ranks = sorted(map(rank_of, hand.kinds))
    one_suit = len(hand.suits) == 1 and hand.kinds.isdisjoint(HONORS)
    pairs = hand.reading.shape is Shape.SEVEN_PAIRS
    return once(pairs and one_suit and len(ranks) == 7 and ranks[-1] - ranks[0] == 6)


@fan(7, excludes=(18, 52, 79), concealed_by_nature=True)
def thirteen_orphans(hand: Completed) -> Occurrences:
    """One of each terminal and honour, and a second one of any of them."""
    return once(hand.reading.shape is Shape.THIRTEEN_ORPHANS)


@fan(19, excludes=(79,), concealed_by_nature=True)
def seven_pairs(hand: Completed) -> Occurrences:
    """Seven pairs; four of a kind are two of them."""
    return once(hand.reading.shape is Shape.SEVEN_PAIRS)


@fan(20, excludes=(34, 52, 79), concealed_by_nature=True)
def greater_honors_and_knitted_tiles(hand: Completed) -> Occurrences:
    """All seven honours, and seven tiles of a knitted straight."""
    return once(hand.reading.shape is Shape.HONORS_AND_KNITTED and hand.kinds >= HONORS)


@fan(34, excludes=(52, 79), concealed_by_nature=True)
def lesser_honors_and_knitted_tiles(hand: Completed) -> Occurrences:
    """Fourteen different tiles, all of them honours or tiles of one knitted straight."""
    return once(hand.reading.shape is Shape.HONORS_AND_KNITTED)


@fan(35)
def knitted_straight(hand: Completed) -> Occurrences:
    """1-4-7 of a suit, 2-5-8 of another and 3-6-9 of the third."""
    among_honors = hand.reading.shape is Shape.HONORS_AND_KNITTED
    return once(bool(hand.reading.knitted) and (not among_honors or hand.profile.straight_among_honors))
