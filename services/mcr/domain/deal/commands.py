"""Orders to a deal. Each carries the instant it was received; a client's clock is never asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.terms import AwayReason


@dataclass(frozen=True, slots=True)
class ByAccount:
    """A person acts for the own seat."""

    account_id: UUID


@dataclass(frozen=True, slots=True)
class ByAi:
    """The AI acts for its own seat, or for that of a person who is away."""

    seat: int


Actor = ByAccount | ByAi


@dataclass(frozen=True, slots=True)
class Act:
    """A seat decides."""

    actor: Actor
    action: Action
    expected_decision: int
    """The number of the decision that this answers: a late one never hits another decision."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Leave:
    """A person leaves, or their stream has been lost for too long: the AI plays for the seat."""

    account_id: UUID
    reason: AwayReason
    at: datetime


@dataclass(frozen=True, slots=True)
class Return:
    """A person plays the own seat again."""

    account_id: UUID
    at: datetime


Command = Act | Leave | Return
