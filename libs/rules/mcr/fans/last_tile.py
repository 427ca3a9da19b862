"""Fans of how the last tile came, and of what the hand waited for."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, fan, once
from libs.rules.mcr.tiles import rank_of


@fan(44, excludes=(80,))
def last_tile_draw(hand: Completed) -> Occurrences:
    """The wall's last tile, self-drawn."""
    return once(hand.win.last_tile and hand.win.self_drawn)


@fan(45)
def last_tile_claim(hand: Completed) -> Occurrences:
    """The discard after the wall's last tile."""
    return once(hand.win.last_tile and not hand.win.self_drawn)


@fan(46, excludes=(80,))
def out_with_replacement_tile(hand: Completed) -> Occurrences:
    """The replacement tile of an own kong; that of a flower is self-drawn only."""
    return once(hand.win.kong_related and hand.win.self_drawn)


@fan(47, excludes=(58,))
def robbing_the_kong(hand: Completed) -> Occurrences:
    """The tile that another adds to a pung."""
    return once(hand.win.robbed)


@fan(58)
def last_tile(hand: Completed) -> Occurrences:
    """The last of its kind, the other three face up on the table."""
    return once(hand.last_of_kind)


@fan(77, excludes=(78, 79))
def edge_wait(hand: Completed) -> Occurrences:
    """The 3 of 123 or the 7 of 789, when nothing else completes the hand."""
    chow = hand.completed_set
    if chow is None or not chow.is_chow:
        return ()
    lowest, last = rank_of(chow.tile), rank_of(hand.win.tile)
    return once((lowest, last) in {(1, 3), (7, 7)} and hand.waited_for_one)


@fan(78, excludes=(77, 79))
def closed_wait(hand: Completed) -> Occurrences:
    """The middle tile of a chow, when nothing else completes the hand."""
    chow = hand.completed_set
    between = chow is not None and chow.is_chow and hand.win.tile == chow.tile + 1
    return once(between and hand.waited_for_one)


@fan(79, excludes=(77, 78))
def single_wait(hand: Completed) -> Occurrences:
    """The second tile of the pair, when nothing else completes the hand."""
    return once(hand.completed_pair and hand.waited_for_one)
