"""Facts of a match of several seats: who plays, and what it brought. Its rounds have streams of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.placing import quick_match_points
from services.match.domain.rivals.stage import QUICK_MATCH, TournamentStage
from services.match.domain.rivals.state import Over, Round
from services.match.domain.rivals.terms import EndReason, SeatEnd

__all__ = [
    "QUICK_MATCH",
    "ArenaEnded",
    "MatchCreated",
    "MatchEnd",
    "MatchEvent",
    "MatchRoundEnded",
    "QuickMatchEnded",
    "TournamentMatchEnded",
    "quick_match_ended",
    "tournament_match_ended",
]


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """Seats were filled; the countdown begins."""

    mode: str
    accounts: tuple[UUID, ...]
    round_id: UUID
    occurred_at: datetime
    private: bool = False
    """Whether it was made by invitation: it pays no account points."""
    tournament: TournamentStage | None = None


@dataclass(frozen=True, slots=True)
class QuickMatchEnded:
    """A quick match is over; everything by seat."""

    match_id: UUID
    accounts: tuple[UUID, ...]
    ends: tuple[SeatEnd, ...]
    points: tuple[int, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class MatchRoundEnded:
    """A round of a match of several rounds is over; everything by seat."""

    match_id: UUID
    round_id: UUID
    number: int
    reason: EndReason
    accounts: tuple[UUID, ...]
    ends: tuple[SeatEnd, ...]
    next_round_id: UUID | None
    """The round that was dealt with it; None when the match is over."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class ArenaEnded:
    """An arena match is over; everything by seat."""

    match_id: UUID
    accounts: tuple[UUID, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    """The sums of the round scores."""
    round_scores: tuple[tuple[int, ...], ...]
    """By seat, then by round."""
    points: tuple[int, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TournamentMatchEnded:
    """A table of a tournament's round is over; everything by seat. It pays no account points."""

    match_id: UUID
    tournament_id: UUID
    round_number: int
    """Which of the tournament's rounds."""
    accounts: tuple[UUID, ...]
    ends: tuple[SeatEnd, ...]
    acted: tuple[bool, ...]
    """Whether the player made any move: a touch, be it of a blocked tile."""
    cut: bool
    """Whether the end of the tournament cut it."""
    occurred_at: datetime

    @property
    def points(self) -> tuple[int, ...]:
        """Account points: none."""
        return (0,) * len(self.accounts)


MatchEnd = QuickMatchEnded | ArenaEnded | TournamentMatchEnded
MatchEvent = MatchCreated | MatchRoundEnded | MatchEnd


def quick_match_ended(played: Round, ended: RoundEnded) -> QuickMatchEnded:
    """What the end of its only round means for a quick match."""
    points = (0,) * len(ended.seats) if played.stage.private else quick_match_points(ended.seats)
    return QuickMatchEnded(played.match_id, played.accounts, ended.seats, points, ended.occurred_at)


def tournament_match_ended(over: Over) -> TournamentMatchEnded:
    """What the end of its only round means for a table of a tournament."""
    played, ended, laid_down = over.round, over.ended, over.round.stage.tournament
    assert laid_down is not None, "a tournament lays down what its tables are"
    return TournamentMatchEnded(
        played.match_id,
        laid_down.tournament_id,
        laid_down.round_number,
        played.accounts,
        ended.seats,
        tuple(player.board.touches > 0 for player in over.players),
        ended.reason is EndReason.CUT,
        ended.occurred_at,
    )
