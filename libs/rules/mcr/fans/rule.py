"""How a fan is written down: its number, what it excludes, and where it is found in a completed hand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS, Fan
from libs.rules.mcr.melds import Set

Sets = tuple[int, ...]
"""The indices of the sets an occurrence is made of; none for what the whole hand is."""
Occurrences = Iterable[Sets]

NOT_AT_ALL: Final[tuple[Sets, ...]] = ()
ONCE: Final[tuple[Sets, ...]] = ((),)

_BY_NUMBER: Final = {fan.number: fan for fan in (*FANS, MIXED_KONGS)}


@dataclass(frozen=True)
class Rule:
    """A fan and all that is to be known for counting it."""

    fan: Fan
    occurrences: Callable[[Completed], Occurrences]
    excludes: frozenset[int]
    """Numbers of fans that are not counted beside it: it cannot be without them, or the book says so."""
    excludes_in_its_sets: frozenset[int]
    """Fans that are not counted of the sets that it is made of."""
    joins: bool
    """It is made by joining sets, so that the principles of joining hold (see `joining.py`)."""
    concealed_by_nature: bool
    """The hand cannot but be concealed, so that fan 62 says nothing; 56 by profile."""

    @property
    def sentence(self) -> str:
        """The rule in words."""
        return (self.occurrences.__doc__ or "").strip()


def fan(
    number: int,
    *,
    excludes: Collection[int] = (),
    excludes_in_its_sets: Collection[int] = (),
    joins: bool = False,
    concealed_by_nature: bool = False,
) -> Callable[[Callable[[Completed], Occurrences]], Rule]:
    """Make the function below it the rule of the fan with this number in the rule book."""

    def rule(occurrences: Callable[[Completed], Occurrences]) -> Rule:
        return Rule(
            _BY_NUMBER[number],
            occurrences,
            frozenset(excludes),
            frozenset(excludes_in_its_sets),
            joins,
            concealed_by_nature,
        )

    return rule


def once(holds: bool) -> Occurrences:
    """One occurrence of the whole hand, when it holds."""
    return ONCE if holds else NOT_AT_ALL


def made_of(sets: Sets, count: int) -> Occurrences:
    """One occurrence that is made of these sets, when there are exactly so many."""
    return (sets,) if len(sets) == count else NOT_AT_ALL


def each(sets: Sets) -> Occurrences:
    """An occurrence of each of the sets."""
    return ((one,) for one in sets)


def joined(hand: Completed, among: Sets, count: int, fits: Callable[[list[Set]], bool]) -> Occurrences:
    """Every choice of so many of the sets that fits; they are shown in order of rank, then of suit."""
    for chosen in combinations(among, count):
        if fits(sorted((hand.sets[index] for index in chosen), key=_by_rank)):
            yield chosen


def _by_rank(one: Set) -> tuple[int, int]:
    return one.tile % 9, one.tile
