"""Tournaments as a client sees them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum


class TournamentStatus(StrEnum):
    """Where a tournament is in its life."""

    SCHEDULED = "scheduled"
    REGISTRATION = "registration"
    RUNNING = "running"
    COUNTING = "counting"
    """The end has come; the last tables report."""
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing is played any more."""
        return self in {TournamentStatus.FINISHED, TournamentStatus.CANCELLED}


class TournamentPhase(StrEnum):
    """A part of the list of tournaments."""

    UPCOMING = "upcoming"
    RUNNING = "running"
    OVER = "over"


class TournamentKind(StrEnum):
    """The two kinds of tournament."""

    ORDINARY = "ordinary"
    CHAMPIONS = "champions"


class TournamentEnding(StrEnum):
    """Why a tournament ended."""

    ROUNDS = "rounds"
    TIME = "time"
    ONE_LEFT = "one_left"
    OPERATOR = "operator"


class TournamentCancelling(StrEnum):
    """Why a tournament is cancelled."""

    TOO_FEW = "too_few"
    OPERATOR = "operator"


class OperatorGround(StrEnum):
    """Why an operator acted."""

    FAIR_PLAY = "fair_play"
    FAULT = "fault"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TournamentPrize:
    """What a place brings; `cup` is the kind of the cup, empty without one."""

    points: int = 0
    jokers: int = 0
    cup: str = ""


@dataclass(frozen=True, slots=True)
class TournamentTimes:
    """The spans that all tournaments have alike; demonstrations shorten them."""

    registration: timedelta = timedelta(hours=24)
    pause: timedelta = timedelta(seconds=10)
    round_limit: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class TournamentTerms:
    """What is laid down for a tournament."""

    title: str
    duration: timedelta
    minimum: int
    maximum: int
    prizes: tuple[TournamentPrize, ...]
    """By place, the winner's first: its cup is required."""
    multipliers: tuple[int, ...]
    """Of each round, 1 to 6."""
    weekly_prize_points: int = 0
    """What a player must have received as tournament prizes in this week; 0: open to all."""
    kind: TournamentKind = TournamentKind.ORDINARY
    times: TournamentTimes = TournamentTimes()


@dataclass(frozen=True, slots=True)
class TournamentRound:
    """A round that was seated, and how many of its tables are over."""

    number: int
    multiplier: int
    tables: int
    tables_over: int


@dataclass(frozen=True, slots=True)
class NextRound:
    """A round that is to come; `start_time` is none while the one before is played."""

    number: int
    multiplier: int
    start_time: datetime | None


@dataclass(frozen=True, slots=True)
class OwnPart:
    """How this player stands to a tournament."""

    registered: bool
    withdrawn: bool
    dropped: bool
    """Seated no more since two rounds were missed."""
    place: int
    """0 without one."""
    points: int
    """TP."""
    match: str | None
    """"matches/<uuid>": the own table of the round that is played, until it is over."""
    prize: TournamentPrize | None
    """After the end, as long as it holds."""
    entry_refusal: str
    """Why registering is not possible now, a reason of the error table; empty where it is, or is done."""
    entry_refusal_text: str
    prize_points: int | None
    """Of tournament prizes in this week, where the entry condition asks for them."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """The page of a tournament."""

    name: str
    """"tournaments/<uuid>"."""
    terms: TournamentTerms
    status: TournamentStatus
    open_time: datetime
    start_time: datetime
    end_time: datetime
    series: str | None
    """"series/<uuid>"."""
    registered: int
    next_time: datetime | None
    """What the countdown counts to: opening, start, next round or end."""
    round: TournamentRound | None
    """The one that is played, or was last."""
    next_rounds: tuple[NextRound, ...]
    ending: TournamentEnding | None
    cancelling: TournamentCancelling | None
    own: OwnPart | None
    """None for operators."""


@dataclass(frozen=True, slots=True)
class TournamentLine:
    """A line of the standing."""

    place: int
    player: str
    points: int
    """TP."""
    withdrawn: bool
    dropped: bool
    prize: TournamentPrize | None


@dataclass(frozen=True, slots=True)
class TournamentSeat:
    """A seat of a table; `place` is 0 without a result."""

    player: str
    place: int
    round_score: int
    cleared: bool
    acted: bool
    points: int
    """TP, multiplier included."""
    voided: bool


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """A table of a round."""

    table: int
    """From 0."""
    match: str
    seats: tuple[TournamentSeat, ...]
    over: bool
    cut: bool
    """By the end of the tournament."""


@dataclass(frozen=True, slots=True)
class SeenTournament:
    """A tournament as it stands, with the top of its standing."""

    tournament: Tournament
    lines: tuple[TournamentLine, ...]


@dataclass(frozen=True, slots=True)
class TournamentSeries:
    """Tournaments that are alike, one on each date of a rule, in Romanian time."""

    name: str
    """"series/<uuid>"."""
    first_day: date
    clock: str
    """"20:00"."""
    recurrence: str
    """The parts of an RFC 5545 rule; empty: on the first day only."""
    terms: TournamentTerms
    going: bool
