"""What players order in the pool, and what comes of stakes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.pool.terms import StakeRefusal


@dataclass(frozen=True, slots=True)
class RemovePair:
    """Take two free tiles that match; their order does not count."""

    account_id: UUID
    first: int
    second: int
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last pair back."""

    account_id: UUID
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Lay the faces that are left anew."""

    account_id: UUID
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Hint:
    """Name the available pair of the highest value."""

    account_id: UUID
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class EndGame:
    """End one's own game and keep the score."""

    account_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class LeavePool:
    """Leave a match and keep the score."""

    account_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class RestartTraining:
    """End a game of training for another one."""

    account_id: UUID
    next_game_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class TakeStake:
    """The ledger has the stake of this account in escrow."""

    account_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class RefuseStake:
    """The ledger will not give the stake of this account."""

    account_id: UUID
    reason: StakeRefusal
    at: datetime


BoardCommand = RemovePair | Undo | Shuffle | Hint
Command = BoardCommand | EndGame | LeavePool | RestartTraining | TakeStake | RefuseStake
