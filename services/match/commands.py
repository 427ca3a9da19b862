"""Orders of a player. Each carries the instant it was received; a client's clock is never asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face


class GiveUpReason(StrEnum):
    """Why a joker that was asked for did nothing."""

    NONE_OWNED = "none_owned"
    TOO_LATE = "too_late"
    """The ledger did not answer in time."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A level as everybody gets it: its places and a face for each of them."""

    level: int
    catalogue_version: int
    hard: bool
    layout: Layout
    layout_title: str
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class StartLevel:
    """Start an attempt at a level."""

    account_id: UUID
    deal: Deal
    at: datetime


@dataclass(frozen=True, slots=True)
class RestartLevel:
    """Give the attempt up for another on the same deal."""

    account_id: UUID
    next_attempt_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class Touch:
    """Touch a tile."""

    account_id: UUID
    tile: int
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PutBack:
    """Put the lifted tile back. Counts as a touch: touching the lifted tile again is the same."""

    account_id: UUID
    expected_board_version: int
    at: datetime


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


@dataclass(frozen=True, slots=True)
class Leave:
    """End the attempt unfinished."""

    account_id: UUID
    at: datetime


Command = StartLevel | RestartLevel | Touch | PutBack | UseJoker | TakeJoker | GiveUpJoker | Leave
