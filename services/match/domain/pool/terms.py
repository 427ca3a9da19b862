"""Words of the pool: modes, stakes, how seats end, the deal, and the numbers of the rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face

MATCHING: Final = Matching.BONUS_ANY
PAIRING: Final = Pairing.BOTH_FREE
TILES: Final = 144
USES_MAX: Final = 5
"""Of undo, of shuffle and of hint: each at most so many times in a game."""
CHARGE_FACTOR: Final = 5
"""Each use costs so many times the pairs on the board."""
TOUCHES_MAX: Final = 1_200
"""Accepted commands of a seat in a game."""
LIMIT: Final = timedelta(minutes=10)
LIMIT_MAX: Final = timedelta(minutes=60)
COUNTDOWN: Final = timedelta(seconds=3)
STAKES_WITHIN: Final = timedelta(seconds=5)
"""From the dealing: a stake that the ledger has not taken by then is not taken."""
MILLISECOND: Final = timedelta(milliseconds=1)


class Phase(StrEnum):
    """Where a game stands."""

    STAKING = "staking"
    """Stakes are being paid."""
    COUNTDOWN = "countdown"
    RUNNING = "running"
    OVER = "over"


class Stake(StrEnum):
    """What became of the stake of a seat."""

    NONE = "none"
    """There is none: training."""
    PENDING = "pending"
    PAID = "paid"
    REFUSED = "refused"
    """It was not taken: the seat does not play."""


class StakeRefusal(StrEnum):
    """Why a stake was not taken."""

    TOO_FEW_CHIPS = "too_few_chips"
    TOO_LATE = "too_late"


class SeatEnding(StrEnum):
    """How the game of one seat ended."""

    CLEARED = "cleared"
    BLOCKED = "blocked"
    """No pair, no usable shuffle and no usable undo."""
    TIME = "time"
    ENDED = "ended"
    """By "End game"."""
    LEFT = "left"
    NOT_PLAYED = "not_played"
    """The stake was not paid, or too few stakes were."""


class PoolEnding(StrEnum):
    """What a game came to."""

    PLAYED = "played"
    """Training, or a match whose pot was won."""
    VOID_STAKES = "void_stakes"
    """Fewer than two could pay: stakes are returned."""
    VOID_MOVES = "void_moves"
    """Fewer than two made a move: stakes are returned."""
    RESTARTED = "restarted"
    """Training: another game took its place."""


@dataclass(frozen=True, slots=True)
class PoolDeal:
    """A deal from a secret seed; everything that the commitment covers."""

    catalogue_version: int
    layout: Layout
    layout_title: str
    faces: tuple[Face, ...]
    seed: bytes
    nonce: bytes
    commitment: bytes


@dataclass(frozen=True, slots=True)
class PoolTerms:
    """What is laid down for a game before it begins."""

    accounts: tuple[UUID, ...]
    """By seat. One: training; two to four: a match."""
    stake: int
    """Chips that each seat pays; 0 in training."""
    limit: timedelta
    """From the signal."""

    @property
    def is_training(self) -> bool:
        """Whether it is a game of one player, without a pot."""
        return len(self.accounts) == 1


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a seat stands at the end."""

    place: int
    """From 1; ties share it; 0 for a seat that did not play."""
    score: int
    ending: SeatEnding
    ended_at: datetime
    pairs_left: int
    payout: int
    """Chips out of the pot, or the returned stake."""
