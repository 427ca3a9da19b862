"""The score of a complete hand: the best of all its readings, what counts in it, and why other fans do not.

For each reading the fans are gone through from the highest down. A fan that another one, already counted,
cannot be without is left out (non-repeat), as the fans' own rules say; fans that join sets are chosen by the
principles of `joining.py`. The reading with the highest total wins (freedom of choice). Flowers are added
afterwards: they do not help to the eight points that a win needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from libs.rules.mcr.completed import Completed
from libs.rules.mcr.decompose import Reading, readings
from libs.rules.mcr.fans import RULES
from libs.rules.mcr.fans.rule import Rule, Sets
from libs.rules.mcr.fans_table import FANS, Fan
from libs.rules.mcr.hand import Hand, Win, check
from libs.rules.mcr.joining import Principle, best_joins, why_not
from libs.rules.mcr.profile import MIL, Profile
from libs.rules.mcr.shanten import completing, in_reach
from libs.rules.mcr.tiles import TileIndex, counted

POINTS_TO_WIN: Final = 8
CHICKEN_HAND: Final = FANS[43 - 1]
FLOWER_TILES: Final = FANS[81 - 1]


class Outcome(StrEnum):
    """What declaring a win with a hand comes to."""

    WIN = "win"
    UNDER_8 = "under_8"
    """Complete, but not worth eight points without flowers: it may not be declared."""
    NOT_WINNING = "not_winning"


class Counted(NamedTuple):
    """One occurrence of a fan."""

    fan: Fan
    points: int
    sets: Sets = ()
    """Indices of the reading's sets that it is made of; none for what the whole hand is."""


class Excluded(NamedTuple):
    """An occurrence that is in the hand and does not count."""

    fan: Fan
    sets: Sets
    because: Fan | Principle
    """The fan that is counted instead, or the principle."""


@dataclass(frozen=True)
class Score:
    """The best score of a complete hand."""

    reading: Reading
    counted: tuple[Counted, ...]
    """Highest first; without flowers."""
    excluded: tuple[Excluded, ...]
    flowers: int

    @property
    def total_without_flowers(self) -> int:
        """What the eight points are held against."""
        return sum(one.points for one in self.counted)

    @property
    def total(self) -> int:
        """What is paid: flowers included."""
        return self.total_without_flowers + self.flowers * FLOWER_TILES.points

    @property
    def outcome(self) -> Outcome:
        """Whether the hand may be declared."""
        return Outcome.WIN if self.total_without_flowers >= POINTS_TO_WIN else Outcome.UNDER_8

    @property
    def fans(self) -> dict[str, int]:
        """How often each fan counts, by title; flowers last."""
        times: dict[str, int] = {}
        for one in self.counted:
            times[one.fan.title] = times.get(one.fan.title, 0) + 1
        return times | ({FLOWER_TILES.title: self.flowers} if self.flowers else {})


def score(hand: Hand, win: Win, profile: Profile = MIL) -> Score | None:
    """The best score, or None for a hand that the last tile does not complete. Raises NotAHandError.

    Of readings with the same total it is one with the fans that stand first in the rule book.
    """
    return max(all_scores(hand, win, profile), key=_standing, default=None)


def all_scores(hand: Hand, win: Win, profile: Profile = MIL) -> Iterator[Score]:
    """The score of each reading. Raises NotAHandError for tiles and circumstances that cannot be."""
    check(hand, win)

    @cache
    def waits() -> Collection[TileIndex]:
        found = completing(hand.concealed, hand.melds)
        return found if profile.exhausted_wait else in_reach(hand, found)

    for reading in readings(counted((*hand.concealed, win.tile)), hand.melds, win.tile):
        yield _score_of(Completed(hand, win, reading, profile, waits))


def _standing(one: Score) -> tuple[int, list[tuple[int, int]]]:
    """What scores are compared by."""
    return one.total_without_flowers, [(fan.points, -fan.fan.number) for fan in one.counted]


def _score_of(hand: Completed) -> Score:
    """What one reading is worth."""
    profile = hand.profile
    found = [(rule, sets) for rule in RULES for sets in rule.occurrences(hand)]
    joins = [one for one in found if one[0].joins]
    chosen = best_joins(joins, profile)
    counted: list[tuple[Rule, Sets]] = []
    excluded = []
    for rule, sets in sorted(found, key=lambda one: -profile.points(one[0].fan)):
        by = next((other for other in counted if _excludes(other, (rule, sets), profile)), None)
        if by is not None:
            excluded.append(Excluded(rule.fan, sets, by[0].fan))
        elif rule.joins and (rule, sets) not in chosen:
            excluded.append(Excluded(rule.fan, sets, why_not((rule, sets), chosen)))
        else:
            counted.append((rule, sets))
    fans = tuple(Counted(rule.fan, profile.points(rule.fan), sets) for rule, sets in counted)
    if not fans:
        fans = (Counted(CHICKEN_HAND, CHICKEN_HAND.points),)
    return Score(hand.reading, fans, tuple(excluded), hand.win.flowers)


def _excludes(counted: tuple[Rule, Sets], other: tuple[Rule, Sets], profile: Profile) -> bool:
    """Whether a fan that is counted leaves another one out."""
    (rule, sets), (left_out, left_out_sets) = counted, other
    number = left_out.fan.number
    if number in rule.excludes:
        return True
    if rule.concealed_by_nature and (
        number == 62 or (number == 56 and not profile.fully_concealed_by_nature)
    ):
        return True
    return number in rule.excludes_in_its_sets and bool(left_out_sets) and set(left_out_sets) <= set(sets)
