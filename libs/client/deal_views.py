"""A deal of MCR as this player sees it, and what happens in it.

Tiles are physical ones, 0 to 143 (see `libs.rules.mcr.wall`); seats are numbered from 0 to 3 in turn order.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from libs.rules.mcr.wall import TileId

Tiles: TypeAlias = tuple[TileId, ...]


class AiLevel(StrEnum):
    """How strong an AI player is."""

    EASY = "easy"
    MIDDLE = "middle"
    STRONG = "strong"


class Phase(StrEnum):
    """What is going on."""

    DEALING = "dealing"
    TURN = "turn"
    """A seat has drawn."""
    DISCARD = "discard"
    """A seat has made a chow or a pung, and discards."""
    CLAIMS = "claims"
    """A discard may be claimed."""
    ROBBING = "robbing"
    """A kong may be robbed."""
    OVER = "over"


class MeldKind(StrEnum):
    """What lies on the table before a seat."""

    CHOW = "chow"
    PUNG = "pung"
    BIG_KONG = "big_kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"


class ActionKind(StrEnum):
    """What a seat does."""

    DISCARD = "discard"
    WIN = "win"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    PUNG = "pung"
    KONG = "kong"
    CHOW = "chow"
    PASS = "pass"  # noqa: S105 no password


class TileSource(StrEnum):
    """Where a drawn tile came from."""

    WALL = "wall"
    KONG = "kong"
    """The end of the wall, after a kong."""
    FLOWER = "flower"
    """The end of the wall, for a flower."""


class ActedBy(StrEnum):
    """Who acted for a seat."""

    PLAYER = "player"
    AI = "ai"
    TIME = "time"
    """Nobody within the limit: the rules did."""


class What(StrEnum):
    """What happened."""

    DEALT = "dealt"
    FLOWER = "flower"
    """A seat showed a flower and got a tile for it."""
    BEGAN = "began"
    DREW = "drew"
    DISCARDED = "discarded"
    ANSWERED = "answered"
    """This player answered; nobody else is told."""
    CLAIMED = "claimed"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    ENDED = "ended"
    REVEALED = "revealed"
    LEFT = "left"
    RETURNED = "returned"
    PAUSED = "paused"


class WinKind(StrEnum):
    """Where a winning tile came from."""

    SELF_DRAWN = "self_drawn"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"


class DrawReason(StrEnum):
    """Why nobody won."""

    WALL = "wall"
    FLOWER = "flower"
    """A flower came as the last tile."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a seat does, with which own tiles."""

    kind: ActionKind
    tiles: Tiles = ()


@dataclass(frozen=True, slots=True)
class MeldView:
    """A set on the table; without tiles four that lie face down."""

    kind: MeldKind
    tiles: Tiles
    claimed: TileId | None
    from_seat: int | None


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as this player sees it."""

    player: str
    """Empty where the AI sits."""
    ai_level: AiLevel | None
    is_away: bool
    """Whether the AI plays for a person."""
    wind: int
    """0 east, 1 south, 2 west, 3 north."""
    hand: Tiles
    """Ascending; empty where it is hidden."""
    concealed: int
    """How many tiles the hand has."""
    melds: tuple[MeldView, ...]
    flowers: Tiles
    discards: Tiles
    """In their order, without those that were claimed."""


@dataclass(frozen=True, slots=True)
class FanCount:
    """A fan that counts in a hand."""

    number: int
    times: int
    points: int
    """Of all its occurrences."""


@dataclass(frozen=True, slots=True)
class Won:
    """A deal that was won."""

    winner: int
    payer: int | None
    """Whose discard or kong it was; None for a self-drawn win."""
    kind: WinKind
    tile: TileId
    fans: tuple[FanCount, ...]
    """Highest first, without flowers."""
    points: int
    """Without flowers."""
    flowers: int
    payments: tuple[int, ...]
    """By seat; together 0."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A deal that nobody won."""

    reason: DrawReason


@dataclass(frozen=True, slots=True)
class Aborted:
    """A deal that the rules could not go on with; no points move."""

    fault: str


Outcome: TypeAlias = Won | Drawn | Aborted


@dataclass(frozen=True, slots=True)
class DealView:
    """A deal as this player sees it."""

    number: int
    commitment: str
    """Hexadecimal."""
    seat: int | None
    """This player's; None for a bystander."""
    dealer: int
    prevalent_wind: int
    """0 east, 1 south, 2 west, 3 north."""
    phase: Phase
    turn: int | None
    """Whose turn it is, or whose tile is offered."""
    drawn: TileId | None
    """The tile that this player drew, on the own turn."""
    source: TileSource | None
    offered: TileId | None
    """The tile that may be claimed or robbed."""
    decision: int
    """The number of the present decision."""
    wall_left: int
    deadline: datetime | None
    """When the turn, or the time for claims, is over."""
    actions: tuple[Action, ...]
    """Everything that would be accepted of this player now."""
    answer: Action | None
    """What this player has answered while the present tile is offered."""
    seats: tuple[SeatView, ...]
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Happening:
    """What this player is told of a fact; what is hidden or does not apply is None or empty."""

    what: What
    at: datetime
    seat: int | None
    tile: TileId | None
    replacement: TileId | None
    """What came for a flower."""
    kong: Tiles
    """The tiles of a concealed kong."""
    claim: Action | None
    """What was claimed, or answered."""
    source: TileSource | None
    by: ActedBy | None
