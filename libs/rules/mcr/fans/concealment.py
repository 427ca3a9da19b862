"""Fans of what was claimed from others and what was not."""

from __future__ import annotations

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans.rule import Occurrences, fan, made_of, once


@fan(12, excludes=(33, 49, 66), concealed_by_nature=True)
def four_concealed_pungs(hand: Completed) -> Occurrences:
    """Four pungs, none of them with the help of a discard."""
    return made_of(hand.concealed_pungs, 4)


@fan(33, excludes=(66,))
def three_concealed_pungs(hand: Completed) -> Occurrences:
    """Three pungs without the help of a discard."""
    return made_of(hand.concealed_pungs, 3)


@fan(66)
def two_concealed_pungs(hand: Completed) -> Occurrences:
    """Two pungs without the help of a discard."""
    return made_of(hand.concealed_pungs, 2)


@fan(53, excludes=(79,))
def melded_hand(hand: Completed) -> Occurrences:
    """Four sets claimed from discards, and the pair completed by one."""
    exposed = [meld for meld in hand.hand.melds if not meld.concealed]
    return once(len(exposed) == 4 and not hand.win.self_drawn)


@fan(56, excludes=(62, 80))
def fully_concealed_hand(hand: Completed) -> Occurrences:
    """Nothing claimed from others, and the last tile self-drawn."""
    return once(hand.is_concealed and hand.win.self_drawn)


@fan(62)
def concealed_hand(hand: Completed) -> Occurrences:
    """Nothing claimed from others but the last tile."""
    return once(hand.is_concealed and not hand.win.self_drawn)


@fan(80)
def self_drawn(hand: Completed) -> Occurrences:
    """The last tile drawn from the wall."""
    return once(hand.win.self_drawn)
