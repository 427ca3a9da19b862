"""Words of what happens in a tournament. Players are named by the number of their registration."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from services.tournament.domain.tournament.terms import Prize, Terms

Player = int
"""The number of a registration, from 1 in their order: short in events, and the first rule of ties."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament as it was scheduled."""

    tournament_id: UUID
    terms: Terms
    starts_at: datetime
    series_id: UUID | None = None
    """The series that it is an occurrence of."""
    day: date | None = None
    """The Romanian date that it is in its series."""

    @property
    def opens_at(self) -> datetime:
        """When registration opens."""
        return self.starts_at - self.terms.times.registration

    @property
    def ends_at(self) -> datetime:
        """When everything of it ends at the latest."""
        return self.starts_at + self.terms.duration


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits together in a round, and the match that they play."""

    match_id: UUID
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What the match says of a seat."""

    score: int
    cleared: bool
    acted: bool
    """Whether its player made any move."""


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """A seat's result, and what it is worth."""

    player: Player
    result: SeatResult
    place: int
    """At the table, from 1; ties share it."""
    points: int
    """TP, the multiplier included."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the standing, in whose order the places are."""

    player: Player
    points: int
    """TP."""


@dataclass(frozen=True, slots=True)
class Award:
    """A prize to be paid, once: its number is what it is paid under."""

    number: int
    """From 1 within the tournament; never used again."""
    place: int
    player: Player
    account_id: UUID
    goods: Prize


class Ending(StrEnum):
    """Why a tournament ends."""

    ROUNDS = "rounds"
    """All are over."""
    TIME = "time"
    ONE_LEFT = "one_left"
    """Of those who may still be seated."""
    OPERATOR = "operator"


class Ground(StrEnum):
    """Why an operator acted; free words are no part of what is published."""

    FAIR_PLAY = "fair_play"
    """Somebody did not play fairly."""
    FAULT = "fault"
    """Something of ours failed."""
    OTHER = "other"


class Cancelling(StrEnum):
    """Why a tournament is cancelled."""

    TOO_FEW = "too_few"
    """Registered at the start."""
    OPERATOR = "operator"
