"""Words of a tournament: what its page shows before anybody registers."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from libs.rules.pairing.table_points import MULTIPLIER_MAX, MULTIPLIER_MIN

MINIMUM: Final = 2
MAXIMUM: Final = 512
ROUNDS_MAX: Final = 10
PRIZES_MAX: Final = 64
GOODS_MAX: Final = 1_000_000
"""Points or jokers of one prize."""
NAME_MAX: Final = 80
NAMELESS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of characters that no name has: controls (databases keep no NUL), surrogates, ends of lines."""
DURATION_MAX: Final = timedelta(days=1)
ROUND_LIMIT_MIN: Final = timedelta(milliseconds=1)
"""The match service begins no shorter tables."""
CUP_KIND: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

CHAMPIONS_MINIMUM: Final = 16
CHAMPIONS_POINTS: Final = 200
CHAMPIONS_CUP: Final = "champions"


class Kind(StrEnum):
    """The two kinds of tournament."""

    ORDINARY = "ordinary"
    CHAMPIONS = "champions"


@dataclass(frozen=True, slots=True)
class Prize:
    """What a place brings."""

    points: int = 0
    """Account points: they count on the boards, as TP never do."""
    jokers: int = 0
    cup: str = ""
    """The kind of the cup; empty where the place brings none."""

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to pay."""
        return self == Prize()


@dataclass(frozen=True, slots=True)
class OpenToAll:
    """Everybody may enter."""


@dataclass(frozen=True, slots=True)
class WeeklyPrizePoints:
    """Who received so many points as final tournament prizes in the current Romanian week."""

    points: int


Entry = OpenToAll | WeeklyPrizePoints


@dataclass(frozen=True, slots=True)
class Times:
    """The spans that are the same for all tournaments; demonstrations shorten them."""

    registration: timedelta = timedelta(hours=24)
    """Before the start."""
    pause: timedelta = timedelta(seconds=10)
    """Between the end of a round's last table and the next round."""
    round_limit: timedelta = timedelta(minutes=5)
    """A table plays no longer."""


TIMES: Final = Times()


@dataclass(frozen=True, slots=True)
class Terms:
    """What is laid down for a tournament; nothing of it changes once it is scheduled."""

    name: str
    duration: timedelta
    minimum: int
    maximum: int
    prizes: tuple[Prize, ...]
    """By place, the winner's first."""
    rounds: tuple[int, ...]
    """The multiplier of each round, 1 to 6."""
    entry: Entry = OpenToAll()
    kind: Kind = Kind.ORDINARY
    times: Times = TIMES


class TermsProblem(StrEnum):
    """What is wrong with terms: the field."""

    NAME = "name"
    DURATION = "duration"
    PARTICIPANTS = "participants"
    PRIZES = "prizes"
    ROUNDS = "rounds"
    ENTRY = "entry"
    TIMES = "times"
    CHAMPIONS = "kind"


def problem_of(terms: Terms) -> TermsProblem | None:
    """The first field with which there is no such tournament; None where there is."""
    times, prizes = terms.times, terms.prizes
    checks = (
        (TermsProblem.NAME, _is_name(terms.name)),
        (TermsProblem.DURATION, timedelta() < terms.duration <= DURATION_MAX),
        (TermsProblem.PARTICIPANTS, MINIMUM <= terms.minimum <= terms.maximum <= MAXIMUM),
        (TermsProblem.PRIZES, 1 <= len(prizes) <= min(PRIZES_MAX, terms.maximum) and _are_goods(prizes)),
        (TermsProblem.ROUNDS, 1 <= len(terms.rounds) <= ROUNDS_MAX and _are_multipliers(terms.rounds)),
        (TermsProblem.ENTRY, isinstance(terms.entry, OpenToAll) or 0 < terms.entry.points <= GOODS_MAX),
        (TermsProblem.TIMES, times.registration > timedelta() <= times.pause <= DURATION_MAX),
        (TermsProblem.TIMES, ROUND_LIMIT_MIN <= times.round_limit <= DURATION_MAX),
        (TermsProblem.CHAMPIONS, _fits_its_kind(terms)),
    )
    return next((field for field, holds in checks if not holds), None)


def _is_name(name: str) -> bool:
    is_long = 0 < len(name.strip()) <= len(name) <= NAME_MAX
    return is_long and NAMELESS.isdisjoint(map(unicodedata.category, name))


def _are_goods(prizes: tuple[Prize, ...]) -> bool:
    """The winner of every tournament receives its cup."""
    return bool(prizes[0].cup) and all(
        0 <= prize.points <= GOODS_MAX
        and 0 <= prize.jokers <= GOODS_MAX
        and (not prize.cup or CUP_KIND.fullmatch(prize.cup) is not None)
        for prize in prizes
    )


def _are_multipliers(rounds: tuple[int, ...]) -> bool:
    return all(MULTIPLIER_MIN <= multiplier <= MULTIPLIER_MAX for multiplier in rounds)


def _fits_its_kind(terms: Terms) -> bool:
    cups = [prize.cup for prize in terms.prizes]
    if terms.kind is Kind.ORDINARY:
        return CHAMPIONS_CUP not in cups
    return (
        terms.minimum >= CHAMPIONS_MINIMUM
        and terms.entry == WeeklyPrizePoints(CHAMPIONS_POINTS)
        and cups[0] == CHAMPIONS_CUP
        and CHAMPIONS_CUP not in cups[1:]
    )
