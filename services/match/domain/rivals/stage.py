"""Where a round stands in its match: which one it is, and what its seats bring along from those before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from services.match.domain.rivals.terms import EndReason, Reveal, SeatEnd

QUICK_MATCH: Final = "quick_match"
ARENA: Final = "arena"
TOURNAMENT: Final = "tournament"
COUNTDOWN: Final = timedelta(seconds=3)
LIMIT: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round that is over, its deal laid open."""

    reason: EndReason
    seats: tuple[SeatEnd, ...]
    reveal: Reveal

    @property
    def scores(self) -> tuple[int, ...]:
        """The round scores by seat."""
        return tuple(seat.round_score for seat in self.seats)


@dataclass(frozen=True, slots=True)
class TournamentStage:
    """What a tournament lays down for a table of one of its rounds."""

    tournament_id: UUID
    round_number: int
    """Which of the tournament's rounds, from 1."""
    round_limit: timedelta
    """How long the table plays at most, from its signal."""
    ends_at: datetime
    """The end of the tournament: the table is cut then, whatever pauses its clocks had."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One round of a match. By default it is the only one, as in a quick match."""

    mode: str = QUICK_MATCH
    number: int = 1
    rounds: int = 1
    countdown: timedelta = COUNTDOWN
    """From the dealing to the signal: the break is part of it."""
    left: tuple[int, ...] = ()
    """Seats that had left before, ascending."""
    earlier: tuple[PlayedRound, ...] = ()
    board_versions: tuple[int, ...] = ()
    """The version that each seat's board begins with, above all it had before; empty: 0."""
    private: bool = False
    """Whether the match was made by invitation: it pays no account points."""
    tournament: TournamentStage | None = None

    @property
    def limit(self) -> timedelta:
        """How long the round is played at most, from the signal."""
        return LIMIT if self.tournament is None else self.tournament.round_limit

    @property
    def cut_at(self) -> datetime | None:
        """When the round is cut, in a tournament."""
        return None if self.tournament is None else self.tournament.ends_at

    @property
    def is_of_several(self) -> bool:
        """Whether the match has further rounds."""
        return self.rounds > 1

    def board_version(self, seat: int) -> int:
        """The version that a seat's board begins with."""
        return self.board_versions[seat] if self.board_versions else 0


ONLY_ROUND: Final = Stage()
