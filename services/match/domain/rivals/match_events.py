"""Facts of a match of several seats: who plays, and what it brought. Its rounds have streams of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.placing import quick_match_points
from services.match.domain.rivals.state import Round
from services.match.domain.rivals.terms import SeatEnd

QUICK_MATCH: Final = "quick_match"


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """Seats were filled; the countdown begins."""

    mode: str
    accounts: tuple[UUID, ...]
    round_id: UUID
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class QuickMatchEnded:
    """A quick match is over; everything by seat."""

    match_id: UUID
    accounts: tuple[UUID, ...]
    ends: tuple[SeatEnd, ...]
    points: tuple[int, ...]
    occurred_at: datetime


MatchEvent = MatchCreated | QuickMatchEnded


def quick_match_ended(played: Round, ended: RoundEnded) -> QuickMatchEnded:
    """What the end of its only round means for a quick match."""
    points = quick_match_points(ended.seats)
    return QuickMatchEnded(played.match_id, played.accounts, ended.seats, points, ended.occurred_at)
