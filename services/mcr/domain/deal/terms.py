"""Words of a deal: who sits there, limits, melds, actions, scores, and what a deal comes to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.melds import Set, SetKind, concealed_kong, exposed
from libs.rules.mcr.tiles import EAST, TileIndex
from libs.rules.mcr.wall import SEATS, TileId, kind_of, kinds_of

DEALS_MAX: Final = 16
DEALS_A_WIND: Final = 4


class AiLevel(StrEnum):
    """How strong an AI player is."""

    EASY = "easy"
    MIDDLE = "middle"
    STRONG = "strong"


STAND_IN: Final = AiLevel.MIDDLE
"""Who plays for somebody who is away."""


@dataclass(frozen=True, slots=True)
class Person:
    """A seat of an account."""

    account_id: UUID


@dataclass(frozen=True, slots=True)
class Ai:
    """A seat of an AI player."""

    level: AiLevel = STAND_IN


Occupant = Person | Ai


class By(StrEnum):
    """Who acted for a seat."""

    PLAYER = "player"
    AI = "ai"
    TIME = "time"
    """Nobody within the limit: the rules did."""


class AwayReason(StrEnum):
    """Why a person is away."""

    LEFT = "left"
    LOST = "lost"
    """The stream was lost for too long."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long seats may take."""

    turn: timedelta = timedelta(seconds=20)
    claim: timedelta = timedelta(seconds=8)
    hold: timedelta = timedelta(seconds=1)
    """How long a window stays open at least while a person plays, so that timing tells nothing."""

    def __post_init__(self) -> None:
        assert self.turn > timedelta(), "a turn takes time"
        assert timedelta() <= self.hold <= self.claim, "a window is held no longer than it is open"


LIMITS: Final = Limits()
"""Unless a table says otherwise."""


@dataclass(frozen=True, slots=True)
class DealTerms:
    """What is laid down for a deal before it begins."""

    table_id: UUID
    number: int
    """From 1, of the table's deals."""
    occupants: tuple[Occupant, ...]
    """By seat."""
    away: frozenset[int] = frozenset()
    """Seats of persons who are away as it begins."""
    limits: Limits = LIMITS
    pause: timedelta = timedelta()
    """From the dealing to the first turn: in it the deal before can be read."""

    @property
    def prevalent_wind(self) -> TileIndex:
        """East for deals 1 to 4, South 5 to 8, West 9 to 12, North 13 to 16."""
        return TileIndex(EAST + (self.number - 1) // DEALS_A_WIND)


@dataclass(frozen=True, slots=True)
class Wall:
    """A secret wall; everything that the commitment covers, and who deals."""

    tiles: tuple[TileId, ...]
    dealer: int
    seed: bytes
    nonce: bytes
    commitment: bytes


class MeldKind(StrEnum):
    """What lies on the table before a seat."""

    CHOW = "chow"
    PUNG = "pung"
    BIG_KONG = "big_kong"
    """Melded from a discard."""
    ADDED_KONG = "added_kong"
    """A pung and the fourth tile."""
    CONCEALED_KONG = "concealed_kong"


@dataclass(frozen=True, slots=True)
class Meld:
    """A set on the table."""

    kind: MeldKind
    tiles: Tiles
    claimed: TileId | None = None
    """The tile that another had discarded; None of a concealed kong."""
    from_seat: int | None = None

    @property
    def is_exposed(self) -> bool:
        """Whether all may see it."""
        return self.kind is not MeldKind.CONCEALED_KONG

    @property
    def as_set(self) -> Set:
        """What it is for the score."""
        lowest = min(kinds_of(self.tiles))
        match self.kind:
            case MeldKind.CHOW:
                return exposed(SetKind.CHOW, lowest)
            case MeldKind.PUNG:
                return exposed(SetKind.PUNG, lowest)
            case MeldKind.CONCEALED_KONG:
                return concealed_kong(lowest)
            case MeldKind.BIG_KONG | MeldKind.ADDED_KONG:
                return exposed(SetKind.KONG, lowest)


def added(pung: Meld, tile: TileId) -> Meld:
    """The kong that a pung becomes."""
    assert kind_of(tile) == kind_of(pung.tiles[0]), "the fourth of its kind"
    return Meld(MeldKind.ADDED_KONG, tuple(sorted((*pung.tiles, tile))), pung.claimed, pung.from_seat)


class Source(StrEnum):
    """Where a drawn tile came from."""

    WALL = "wall"
    KONG = "kong"
    """The end of the wall, after a kong."""
    FLOWER = "flower"
    """The end of the wall, for a flower."""


class WinKind(StrEnum):
    """Where the winning tile came from."""

    SELF_DRAWN = "self_drawn"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"


@dataclass(frozen=True, slots=True)
class FanCount:
    """One fan of a hand."""

    number: int
    """Of the fan table."""
    times: int
    points: int
    """Of all its occurrences together."""


@dataclass(frozen=True, slots=True)
class WinScore:
    """What a complete hand is worth."""

    fans: tuple[FanCount, ...]
    """What counts, highest first; flowers are a number beside them."""
    points: int
    """Without flowers: what the limit of 8 is held to."""
    flowers: int

    @property
    def total(self) -> int:
        """What is paid."""
        return self.points + self.flowers


class DrawReason(StrEnum):
    """Why nobody won."""

    WALL = "wall"
    """The discard after the last wall tile was not claimed for a win."""
    FLOWER = "flower"
    """A flower came as the last tile: nothing replaces it."""


@dataclass(frozen=True, slots=True)
class Won:
    """A deal that was won."""

    winner: int
    payer: int | None
    """Whose discard or kong it was; None of a self-drawn win."""
    kind: WinKind
    tile: TileId
    score: WinScore
    payments: tuple[int, ...]
    """By seat; together 0."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A deal that nobody won: no points move."""

    reason: DrawReason


@dataclass(frozen=True, slots=True)
class Aborted:
    """A deal that the rules could not go on with: a fault of the program. No points move."""

    fault: str
    """The kind of error alone: its text could name hidden tiles."""


Outcome = Won | Drawn | Aborted
NO_PAYMENTS: Final = (0,) * SEATS


def payments_of(outcome: Outcome) -> tuple[int, ...]:
    """What a deal moves, by seat."""
    return outcome.payments if isinstance(outcome, Won) else NO_PAYMENTS
