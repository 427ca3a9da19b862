"""Past facts of a deal. `occurred_at` never falls within a stream; a deadline's facts occurred at it.

What the scorer said is stored where a decision opens (`may_win`): folding the facts never asks it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import Answer, Chow, Kong, Pung
from services.mcr.domain.deal.terms import AwayReason, By, DealTerms, Outcome, Source, Wall


@dataclass(frozen=True, slots=True)
class DealDealt:
    """The tiles are dealt, flowers among them."""

    terms: DealTerms
    wall: Wall
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class FlowerReplaced:
    """A seat showed a flower and got a tile from the end of the wall; None: there was none left."""

    seat: int
    flower: TileId
    tile: TileId | None
    may_win: bool
    """Whether the seat may declare a win with it."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PlayBegan:
    """Nobody holds a flower, and the dealer's turn begins."""

    may_win: bool
    """Whether the dealer may declare a win."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """A seat drew a tile; what was offered before stays unclaimed."""

    seat: int
    tile: TileId
    source: Source
    may_win: bool
    """Whether the seat may declare a win with it."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TileDiscarded:
    """A seat discarded, and the others may claim the tile."""

    seat: int
    tile: TileId
    by: By
    may_win: tuple[int, ...]
    """Who may declare a win with it, ascending."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class ClaimAnswered:
    """A seat answered a window. Nobody else learns of it."""

    seat: int
    answer: Answer
    by: By
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TileClaimed:
    """A seat got the discard for a chow, a pung or a kong."""

    seat: int
    claim: Pung | Kong | Chow
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class KongDeclared:
    """A seat declared a concealed kong."""

    seat: int
    tiles: Tiles
    by: By
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class KongAdded:
    """A seat adds a tile to a pung, and the others may rob it."""

    seat: int
    tile: TileId
    by: By
    may_win: tuple[int, ...]
    """Who may rob it, ascending."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class DealEnded:
    """The deal is over."""

    outcome: Outcome
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class WallRevealed:
    """What the commitment covered."""

    wall_version: int
    seed: bytes
    nonce: bytes
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A person is away: the AI plays for the seat."""

    seat: int
    reason: AwayReason
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """A person is back."""

    seat: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class ClockPaused:
    """Nobody could play from `since` to `until`: all clocks leave that out."""

    since: datetime
    until: datetime
    occurred_at: datetime


Event = (
    DealDealt
    | FlowerReplaced
    | PlayBegan
    | TileDrawn
    | TileDiscarded
    | ClaimAnswered
    | TileClaimed
    | KongDeclared
    | KongAdded
    | DealEnded
    | WallRevealed
    | SeatLeft
    | SeatReturned
    | ClockPaused
)
"""All facts of a deal."""
