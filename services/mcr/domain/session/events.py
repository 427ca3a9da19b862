"""Past facts of a table. One stream per table; each of its deals has a stream of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.mcr.domain.session.terms import Closing, DealRow, TableTerms


@dataclass(frozen=True, slots=True)
class TableOpened:
    """Four seats and how many deals they play."""

    terms: TableTerms
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class DealStarted:
    """A deal was dealt."""

    number: int
    deal_id: UUID
    dealer: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class DealFinished:
    """A deal is over."""

    row: DealRow
    totals: tuple[int, ...]
    """Of the table so far, by seat."""
    accounts: tuple[UUID | None, ...]
    """Whose points the row's payments are, by seat; None where they count on no board."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TableClosed:
    """No deal follows."""

    reason: Closing
    totals: tuple[int, ...]
    occurred_at: datetime


Event = TableOpened | DealStarted | DealFinished | TableClosed
"""All facts of a table."""
