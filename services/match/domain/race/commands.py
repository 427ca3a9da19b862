"""Orders of a seat. Each carries the instant it was received; CPU players give the same ones as people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Cpu:
    """The CPU orders for this seat: its own, or that of a person who is away or idle."""

    seat: int


By = UUID | Cpu
"""A person's account, or the CPU."""


@dataclass(frozen=True, slots=True)
class RemovePair:
    """Take two tiles."""

    by: By
    first: int
    second: int
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TouchTile:
    """Ask about a tile by touching it."""

    by: By
    tile: int
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle a blocked board."""

    by: By
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Hint:
    """Light an available pair."""

    by: By
    expected_board_version: int
    at: datetime


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Play no further."""

    by: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class GoAway:
    """Leave for now: the seat is kept."""

    by: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class ComeBack:
    """Take the seat again."""

    by: UUID
    at: datetime


BoardCommand = RemovePair | TouchTile | Shuffle | Hint
Command = BoardCommand | GiveUp | GoAway | ComeBack
