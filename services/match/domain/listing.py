"""What lists and tables show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.rivals.stage import TournamentStage
from services.match.domain.rivals.terms import EndReason, SeatEnd
from services.match.domain.state import Ending


@dataclass(frozen=True, slots=True)
class ListedAttempt:
    """An attempt without its board."""

    attempt_id: UUID
    account_id: UUID
    level: int
    catalogue_version: int
    hard: bool
    started_at: datetime
    clock_since: datetime
    """The start, moved on by every outage."""
    ended_at: datetime | None
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class ListedSeat:
    """One seat of a match of several. Place and score are the match's, the rest is its last round's."""

    account_id: UUID
    end: SeatEnd | None
    points: int
    round_scores: tuple[int, ...] = ()
    """Of the rounds that are over, in a match of several."""


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match of several seats without its boards; seats in their order."""

    match_id: UUID
    mode: str
    created_at: datetime
    ended_at: datetime | None
    ending: EndReason | None
    seats: tuple[ListedSeat, ...]
    tournament: TournamentStage | None = None


@dataclass(frozen=True, slots=True)
class Best:
    """An account's best time on a level, and its place: 1 + the accounts with a strictly better one."""

    place: int
    account_id: UUID
    best_ms: int
