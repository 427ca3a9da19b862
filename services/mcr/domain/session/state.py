"""The state of a table: a union of shapes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.session.terms import Closing, DealRow, TableTerms, totals


@dataclass(frozen=True, slots=True)
class Table:
    """What all shapes of an opened table have in common."""

    terms: TableTerms
    first_dealer: int | None
    """None before the first deal, whose seed chooses."""
    rows: tuple[DealRow, ...]
    """The deals that are over."""
    last_at: datetime

    @property
    def next_number(self) -> int:
        """The number of the deal that follows those that are over."""
        return len(self.rows) + 1

    @property
    def totals(self) -> tuple[int, ...]:
        """What the deals add up to so far, by seat."""
        return totals(self.rows)

    def dealer_of(self, number: int) -> int | None:
        """Who deals the deal of this number: the dealer moves on every deal."""
        return None if self.first_dealer is None else (self.first_dealer + number - 1) % SEATS


@dataclass(frozen=True, slots=True)
class NotOpened:
    """A stream without facts."""


@dataclass(frozen=True, slots=True)
class Between:
    """A deal is to be dealt."""

    table: Table


@dataclass(frozen=True, slots=True)
class Playing:
    """A deal goes on."""

    table: Table
    deal_id: UUID
    dealer: int


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing changes any more."""

    table: Table
    reason: Closing


Opened = Between | Playing | Closed
State = NotOpened | Opened
