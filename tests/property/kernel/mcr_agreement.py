"""The kernel's scores, distances and waits of MCR hands against the definition's."""

from __future__ import annotations

from libs.kernel import mcr
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.profile import MIL, WMO, Profile
from libs.rules.mcr.score import all_scores, score
from libs.rules.mcr.shanten import completing, shanten

OWN = Profile("own", 8, 5, False, True, wait_in_straight=False, exhausted_wait=False)
"""The switches that the two named profiles leave alone, and a mixture of the others."""


def disagreement(hand: Hand, win: Win, profile: Profile) -> str | None:
    """What the kernel says otherwise about a hand, or None."""
    defined, told = score(hand, win, profile), mcr.score(hand, win, profile)
    if (defined is None) != (told is None):
        return f"{hand} {win} complete: {defined is not None}, kernel: {told is not None}"
    if defined is not None and told is not None and (defined.total, defined.fans) != (told.total, told.fans):
        return f"{hand} {win} {defined.total} {defined.fans}, kernel: {told.total} {told.fans}"
    return None


def reading_disagreement(hand: Hand, win: Win, profile: Profile) -> str | None:
    """What the definition says otherwise about the reading that the kernel tells, or None."""
    told = mcr.score(hand, win, profile)
    if told is None:
        return None
    reading = told.reading(hand)
    same = [one for one in all_scores(hand, win, profile) if one.reading == reading]
    if [(one.total_without_flowers, one.fans) for one in same] != [(told.total_without_flowers, told.fans)]:
        return f"{hand} {win} read as {reading}, which scores {same}"
    return None


def distance_disagreement(hand: Hand) -> str | None:
    """What the kernel says otherwise about the tiles before the last one, or None."""
    numbers = shanten(hand)
    if mcr.shanten(hand) != numbers or mcr.least_shanten(hand) != min(numbers.values()):
        return f"{hand} {numbers}, kernel: {mcr.shanten(hand)}"
    complete = completing(hand.concealed, hand.melds)
    if mcr.completing(hand) != complete:
        return f"{hand} waits for {complete}, kernel: {mcr.completing(hand)}"
    return None


PROFILES = (MIL, WMO, OWN)
