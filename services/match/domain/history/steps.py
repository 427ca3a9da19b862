"""What is told of a finished game."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.board import Blocked
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.domain.rivals.terms import OutReason, PairKind


@dataclass(frozen=True, slots=True)
class Taken:
    """A pair left the board."""

    first: int
    second: int
    kind: PairKind
    worth: int
    took_ms: int
    """Since the seat's pair before, or the signal."""
    record_before_ms: int | None
    record_after_ms: int | None
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Missed:
    """A blocked tile was touched."""

    tile: int
    why: Blocked
    cost: int
    """What the score lost: it never drops below 0."""


@dataclass(frozen=True, slots=True)
class Out:
    """The seat went out."""

    reason: OutReason


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a seat did, and its board and score after it."""

    seat: int
    at_ms: int
    """Since the signal, pauses left out."""
    what: Taken | Missed | Out
    score: int
    present: int


@dataclass(frozen=True, slots=True)
class Story:
    """A game of one board, from the signal to its end."""

    accounts: tuple[UUID, ...]
    layout: Layout
    layout_title: str
    faces: tuple[Face, ...]
    shown: int
    """The tiles whose faces may be told."""
    since: datetime
    steps: tuple[Step, ...]

    def boards(self, seat: int) -> tuple[tuple[int, bool], ...]:
        """What is left after each pair of a seat, and whether a joker took it."""
        return tuple(
            (step.present, step.what.kind is PairKind.JOKER)
            for step in self.steps
            if step.seat == seat and isinstance(step.what, Taken)
        )
