"""Orders to a tournament: of its scheduler, of players, of the matches at its tables, of operators."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.tournament.domain.tournament.words import Ground, Plan, Player, SeatResult


@dataclass(frozen=True, slots=True)
class ScheduleTournament:
    """Let it take place."""

    plan: Plan
    at: datetime


@dataclass(frozen=True, slots=True)
class Register:
    """Enter."""

    account_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Leave, or be seated no more."""

    account_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class ReportTable:
    """The match of a table is over."""

    match_id: UUID
    results: tuple[SeatResult, ...]
    """By seat."""
    is_cut: bool
    """Ended by the tournament's end."""
    ended_at: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class CancelTournament:
    """An operator's: it does not take place, or stops without prizes."""

    ground: Ground
    at: datetime


@dataclass(frozen=True, slots=True)
class EndEarly:
    """An operator's: the end comes now, with all that it brings."""

    ground: Ground
    at: datetime


@dataclass(frozen=True, slots=True)
class VoidResult:
    """An operator's: results of a table do not count."""

    round_number: int
    table: int
    players: tuple[Player, ...] | None
    """None: the whole table, even one whose match never reported."""
    ground: Ground
    at: datetime


Command = ScheduleTournament | Register | Withdraw | ReportTable | CancelTournament | EndEarly | VoidResult
