"""Where a round stands in its match: which one it is, and what its seats bring along from those before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from services.match.domain.rivals.terms import EndReason, Reveal, SeatEnd

QUICK_MATCH: Final = "quick_match"
ARENA: Final = "arena"
COUNTDOWN: Final = timedelta(seconds=3)


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

    @property
    def is_of_several(self) -> bool:
        """Whether the match has further rounds."""
        return self.rounds > 1

    def board_version(self, seat: int) -> int:
        """The version that a seat's board begins with."""
        return self.board_versions[seat] if self.board_versions else 0


ONLY_ROUND: Final = Stage()
