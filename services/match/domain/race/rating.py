"""Ratings of racers: every pair of players compared, a tie counting one half (Bradley-Terry, full pairing).

The published number is 60 times the mean of the belief about a player's skill, rounded: 1500 at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from openskill.models import BradleyTerryFull

from services.match.domain.race.terms import FinishClass, RatingChange, SeatEnd

MU: Final = 25.0
SIGMA: Final = 25.0 / 3
POINTS_PER_MU: Final = 60


@dataclass(frozen=True, slots=True)
class Rating:
    """The belief about a player's skill; `races` counts the rated ones."""

    mu: float = MU
    sigma: float = SIGMA
    races: int = 0

    @property
    def number(self) -> int:
        """The published number."""
        return round(POINTS_PER_MU * self.mu)


def rated(ends: Sequence[SeatEnd], before: Sequence[Rating]) -> tuple[SeatEnd, ...]:
    """The ends with what they do to the ratings. A finish over the limit never raises one."""
    model = BradleyTerryFull(mu=MU, sigma=SIGMA)
    teams = [[model.rating(mu=rating.mu, sigma=rating.sigma)] for rating in before]
    found = model.rate(teams, ranks=[float(end.place) for end in ends])
    told = []
    for end, old, (new,) in zip(ends, before, found, strict=True):
        over = end.finish_class is FinishClass.OVER_LIMIT
        after = Rating(min(new.mu, old.mu) if over else new.mu, new.sigma)
        change = RatingChange(old.number if old.races else 0, after.number, after.mu, after.sigma)
        told.append(replace(end, rating=change))
    return tuple(told)
