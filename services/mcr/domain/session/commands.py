"""Orders to a table; they come from the service, as its deals begin and end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.mcr.domain.deal.terms import Outcome
from services.mcr.domain.session.terms import TableTerms


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Seat these four."""

    terms: TableTerms
    at: datetime


@dataclass(frozen=True, slots=True)
class StartDeal:
    """The next deal has been dealt, by this dealer."""

    deal_id: UUID
    dealer: int
    at: datetime


@dataclass(frozen=True, slots=True)
class FinishDeal:
    """A deal of the table has ended."""

    deal_id: UUID
    outcome: Outcome
    away: frozenset[int]
    """Seats of persons who were away then."""
    at: datetime


Command = OpenTable | StartDeal | FinishDeal
