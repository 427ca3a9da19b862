"""Orders of a seat. Each carries the instant it was received; a client's clock is never asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.commands import Leave, PutBack, Touch
from services.match.domain.rivals.terms import GiveUpReason


@dataclass(frozen=True, slots=True)
class UseJoker:
    """Remove the lifted tile and its partner for a joker."""

    account_id: UUID
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TakeJoker:
    """The ledger has taken the joker of this request: let it work."""

    account_id: UUID
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class GiveUpJoker:
    """The joker of this request is not to be had."""

    account_id: UUID
    number: int
    reason: GiveUpReason
    at: datetime


Command = Touch | PutBack | Leave | UseJoker | TakeJoker | GiveUpJoker
