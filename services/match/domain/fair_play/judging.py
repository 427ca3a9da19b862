"""Which figures no person could bring about. A flag is for an operator to see and changes nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from services.match.domain.fair_play.counts import Counts

PER_MILLE: Final = 1_000


class Rule(StrEnum):
    """Why play was flagged."""

    PACE = "pace"
    """The median time between pairs is under what two hands and a look take."""
    CHOICES = "choices"
    """More crucial pairs were found than careful play finds, by far."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where play stops being a person's."""

    pace_ms: int
    """A median under this, rounded down to a bound of the bins, is no person's."""
    pairs_min: int
    """Of so many pairs at least."""
    careful_per_mille: Mapping[bool, int]
    """The share of crucial choices that careful play finds, on HARD boards (True) and others; 1 to 999."""
    choices_min: int
    """Of so many crucial choices at least."""
    one_in: int
    """Flagged is what careful play would bring about at most once in so many players."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A rule that play broke, and the figures: `hits` of `trials`."""

    rule: Rule
    hits: int
    trials: int


def suspicions(of: Mapping[bool, Counts], limits: Thresholds) -> list[Suspicion]:
    """The rules that a player's play in one mode breaks; its figures come apart, HARD boards (True) first."""
    every = sum(of.values(), Counts())
    found: list[Suspicion] = []
    fast = every.faster_than(limits.pace_ms)
    if every.pairs >= limits.pairs_min and 2 * fast > every.pairs:
        found.append(Suspicion(Rule.PACE, fast, every.pairs))
    for hard, counts in sorted(of.items(), reverse=True):
        chance = Fraction(limits.careful_per_mille[hard], PER_MILLE)
        if counts.choices >= limits.choices_min and is_beyond(
            counts.found, counts.choices, chance, limits.one_in
        ):
            found.append(Suspicion(Rule.CHOICES, counts.found, counts.choices))
            break
    return found


def is_beyond(hits: int, trials: int, chance: Fraction, one_in: int) -> bool:
    """Whether so many hits or more of so many trials happen at most once in `one_in`: the binomial tail.

    Exact, in whole numbers: all probabilities are multiples of the same power of the chance's denominator.
    """
    if hits * chance.denominator <= trials * chance.numerator:
        return False  # not more than expected; and the tail would be long
    yes, no = chance.numerator, chance.denominator - chance.numerator
    term: int = yes**trials
    tail: int = 0
    for misses in range(trials - hits + 1):
        tail += term
        term = term * (trials - misses) * no // ((misses + 1) * yes)
    every: int = chance.denominator**trials
    return tail * one_in <= every
