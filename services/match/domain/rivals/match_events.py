"""Facts of a match of several seats: who plays, and what it brought. Its rounds have streams of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.placing import quick_match_points
from services.match.domain.rivals.stage import QUICK_MATCH
from services.match.domain.rivals.state import Round
from services.match.domain.rivals.terms import EndReason, SeatEnd

__all__ = [
    "QUICK_MATCH",
    "ArenaEnded",
    "MatchCreated",
    "MatchEnd",
    "MatchEvent",
    "MatchRoundEnded",
    "QuickMatchEnded",
    "quick_match_ended",
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


MatchEnd = QuickMatchEnded | ArenaEnded
MatchEvent = MatchCreated | MatchRoundEnded | MatchEnd


def quick_match_ended(played: Round, ended: RoundEnded) -> QuickMatchEnded:
    """What the end of its only round means for a quick match."""
    points = (0,) * len(ended.seats) if played.stage.private else quick_match_points(ended.seats)
    return QuickMatchEnded(played.match_id, played.accounts, ended.seats, points, ended.occurred_at)
