"""Which of the fans that join sets are counted.

Joining has its principles. Non-separation and account once: after some sets have been joined, each set
outside may be joined once to one of them; so a fan never joins sets that are joined already, be it by way of
others. Non-identical: a set that took part in a fan takes no part in the same fan with other sets. Freedom of
choice: of all choices that keep to these, the one with most points is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from libs.rules.mcr.fans.rule import Rule, Sets
from libs.rules.mcr.profile import Profile

SETS_MAX: Final = 4
Join = tuple[Rule, Sets]
Groups = tuple[int, ...]
"""For each set, the group of sets it has been joined into."""


class Principle(StrEnum):
    """Why a join is not counted."""

    ACCOUNT_ONCE = "its sets are joined already"
    NON_IDENTICAL = "one of its sets is in the same fan already"
    FREE_CHOICE = "another choice is worth as much or more"


def best_joins(found: Sequence[Join], profile: Profile) -> tuple[Join, ...]:
    """The choice worth most; of equal ones that with the fans that stand first in the rule book."""

    def best_from(first: int, chosen: tuple[Join, ...], groups: Groups) -> tuple[int, tuple[Join, ...]]:
        if first == len(found):
            return 0, ()
        without = best_from(first + 1, chosen, groups)
        join = found[first]
        if refusal(join, chosen, groups) is not None:
            return without
        points, others = best_from(first + 1, (*chosen, join), joined_by(join[1], groups))
        points += profile.points(join[0].fan)
        return (points, (join, *others)) if points >= without[0] else without

    return best_from(0, (), tuple(range(SETS_MAX)))[1]


def refusal(join: Join, chosen: Sequence[Join], groups: Groups) -> Principle | None:
    """Why sets may not be joined after others, else None."""
    rule, sets = join
    if len({groups[one] for one in sets}) < len(sets):
        return Principle.ACCOUNT_ONCE
    if any(other is rule and not set(sets).isdisjoint(others) for other, others in chosen):
        return Principle.NON_IDENTICAL
    return None


def why_not(join: Join, chosen: Sequence[Join]) -> Principle:
    """Why a join is not among those chosen."""
    groups: Groups = tuple(range(SETS_MAX))
    for _, sets in chosen:
        groups = joined_by(sets, groups)
    return refusal(join, chosen, groups) or Principle.FREE_CHOICE


def joined_by(sets: Sets, groups: Groups) -> Groups:
    """The groups after these sets have been joined."""
    merged = {groups[one] for one in sets}
    return tuple(min(merged) if group in merged else group for group in groups)
