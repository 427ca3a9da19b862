"""A match as spectators see it: values that hold no face but those that a seat has uncovered.

What is shown to spectators is made from these values alone, so what is not in them cannot leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.domain.pool.terms import SeatEnding
from services.match.domain.race.terms import CpuLevel
from services.match.domain.rivals.terms import OutReason
from services.match.domain.spectating.modes import WatchedMode


class Phase(StrEnum):
    """Where a match stands."""

    COUNTDOWN = "countdown"
    """No face is shown yet; in the pool stakes may still be on their way."""
    RUNNING = "running"
    BREAK = "break"
    """A round is over, or the next one is dealt face down."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """A seat's board. Sets of tiles are ints: bit t is tile t."""

    layout: int
    """Which of the match's layouts."""
    present: int
    faces: Mapping[int, Face]
    lifted: int | None
    free: int
    pair_available: bool


@dataclass(frozen=True, slots=True)
class SeatSeen:
    """A seat; what its mode does not know is as it is by default."""

    account_id: UUID | None
    board: BoardSeen
    cpu: CpuLevel | None = None
    score: int = 0
    out: OutReason | None = None
    ending: SeatEnding | None = None
    finished_ms: int | None = None
    gave_up: bool = False
    away: bool = False
    jokers_used: int = 0
    undos_used: int = 0
    shuffles_used: int = 0
    hints_used: int = 0


@dataclass(frozen=True, slots=True)
class MatchSeen:
    """A match, without how it ended."""

    mode: WatchedMode
    phase: Phase
    signal_at: datetime | None
    """None while stakes are paid."""
    ended_at: datetime | None
    limit: timedelta
    commitments: tuple[bytes, ...]
    layouts: tuple[tuple[Layout, str], ...]
    """With their titles."""
    seats: tuple[SeatSeen, ...]
    places: tuple[int, ...] = ()
    """Of a race, by seat, once it has begun."""
    round_number: int = 0
    round_count: int = 0
    stake: int = 0
    pot: int = 0


def face_down(layout: Layout, number: int) -> BoardSeen:
    """A board before the signal: where tiles lie, and no face. A fresh deal always has a pair."""
    return BoardSeen(number, layout.full, {}, None, 0, pair_available=True)


def faces_of(faces: Sequence[Face], tiles: int) -> dict[int, Face]:
    """The faces of these tiles."""
    return {tile: faces[tile] for tile in bits(tiles)}
