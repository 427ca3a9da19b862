"""Words of a table: its settings, a row for each deal, and why it closes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.terms import DEALS_MAX, LIMITS, Limits, Occupant, Outcome, Person, payments_of

PAUSE: Final = timedelta(seconds=10)
"""Between two deals: what came of the last one can be read."""


@dataclass(frozen=True, slots=True)
class TableTerms:
    """What is laid down for a table before its first deal."""

    table_id: UUID
    occupants: tuple[Occupant, ...]
    """By seat; any number of persons."""
    deals: int = 1
    limits: Limits = LIMITS
    pause: timedelta = PAUSE
    private: bool = False
    """Made for invited players: its points count on no board."""

    @property
    def accounts(self) -> tuple[UUID | None, ...]:
        """Whose points each seat's are, as far as boards count them."""
        return tuple(
            each.account_id if isinstance(each, Person) and not self.private else None
            for each in self.occupants
        )

    @property
    def persons(self) -> tuple[UUID, ...]:
        """The accounts that sit here, by seat. Points of tables with two or more are kept by themselves."""
        return tuple(each.account_id for each in self.occupants if isinstance(each, Person))

    @property
    def is_possible(self) -> bool:
        """Whether there is such a table: four seats, nobody twice, 1 to 16 deals."""
        is_once = len(set(self.persons)) == len(self.persons)
        return len(self.occupants) == SEATS and is_once and 1 <= self.deals <= DEALS_MAX


@dataclass(frozen=True, slots=True)
class DealRow:
    """What a deal came to, as the table keeps it."""

    number: int
    """From 1."""
    deal_id: UUID
    dealer: int
    outcome: Outcome

    @property
    def payments(self) -> tuple[int, ...]:
        """By seat; together 0."""
        return payments_of(self.outcome)


class Closing(StrEnum):
    """Why a table closes."""

    PLAYED = "played"
    """All its deals are over."""
    ABANDONED = "abandoned"
    """All persons were away when a deal ended."""
    ABORTED = "aborted"
    """The rules could not go on with a deal: a fault of the program."""


def totals(rows: tuple[DealRow, ...]) -> tuple[int, ...]:
    """What the deals add up to, by seat; together 0."""
    return tuple(sum(row.payments[seat] for row in rows) for seat in range(SEATS))
