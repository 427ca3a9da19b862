"""A deal as its facts leave it: a union of shapes, so that what cannot be cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar
from uuid import UUID

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.tiles import EAST, TileIndex
from libs.rules.mcr.wall import SEATS, TileId
from services.mcr.domain.deal.actions import Answer
from services.mcr.domain.deal.terms import Ai, DealTerms, Meld, Outcome, Person, Source, Wall

T = TypeVar("T")


class Table(NamedTuple):
    """What lies where, and what all shapes of a deal have in common."""

    terms: DealTerms
    wall: Wall
    front: int
    """How many tiles have left the beginning of the wall."""
    back: int
    """How many have left its end."""
    hands: tuple[Tiles, ...]
    """Concealed tiles by seat, ascending."""
    melds: tuple[tuple[Meld, ...], ...]
    flowers: tuple[Tiles, ...]
    discards: tuple[Tiles, ...]
    """By seat, in their order, without those that were claimed."""
    away: frozenset[int]
    """Seats of persons for whom the AI plays."""
    returns: tuple[int, ...]
    """How often each seat has returned."""
    decision: int
    """Counts what all can see; a command names the number it answers."""
    since: datetime
    """Where the clock of the present shape counts from, moved on by pauses."""
    paused_until: datetime
    """Outages up to here are out of the clock already."""
    last_at: datetime

    @property
    def wall_left(self) -> int:
        """How many tiles can still be drawn."""
        return len(self.wall.tiles) - self.front - self.back

    @property
    def next_tile(self) -> TileId:
        """The tile at the beginning of the wall."""
        return self.wall.tiles[self.front]

    @property
    def next_replacement(self) -> TileId:
        """The tile at the end of the wall."""
        return self.wall.tiles[len(self.wall.tiles) - 1 - self.back]

    def seat_wind(self, seat: int) -> TileIndex:
        """East for the dealer, then South, West, North in turn order."""
        return TileIndex(EAST + (seat - self.wall.dealer) % SEATS)

    def is_played_by_ai(self, seat: int) -> bool:
        """Whether the AI acts for a seat: its own, or that of a person who is away."""
        return isinstance(self.terms.occupants[seat], Ai) or seat in self.away

    @property
    def hold(self) -> timedelta:
        """How long a window that opens now stays open at least: no time where only the AI plays."""
        return timedelta() if all(map(self.is_played_by_ai, range(SEATS))) else self.terms.limits.hold

    def seat_of(self, account_id: UUID) -> int | None:
        """The seat of an account; None when it sits elsewhere."""
        occupants = self.terms.occupants
        return occupants.index(Person(account_id)) if Person(account_id) in occupants else None


@dataclass(frozen=True, slots=True)
class NotDealt:
    """A stream without facts."""


@dataclass(frozen=True, slots=True)
class Dealing:
    """Flowers are replaced and the first turn is near: nobody can act."""

    table: Table
    drawn: TileId
    """The dealer's last tile."""


@dataclass(frozen=True, slots=True)
class AfterDraw:
    """A seat has drawn: discard, win, or declare a concealed or an added kong."""

    table: Table
    seat: int
    drawn: TileId
    source: Source
    may_win: bool


@dataclass(frozen=True, slots=True)
class AfterClaim:
    """A seat has made a chow or a pung, and discards before anything else."""

    table: Table
    seat: int


@dataclass(frozen=True, slots=True)
class DiscardWindow:
    """The others may claim a discard."""

    table: Table
    seat: int
    """Who discarded."""
    tile: TileId
    may_win: tuple[int, ...]
    answers: tuple[Answer | None, ...]
    """By seat; None: not answered."""
    hold: timedelta


@dataclass(frozen=True, slots=True)
class RobbingWindow:
    """The others may rob the tile that a seat adds to a pung; meanwhile the pung is a pung."""

    table: Table
    seat: int
    """Who adds the tile."""
    tile: TileId
    may_win: tuple[int, ...]
    answers: tuple[Answer | None, ...]
    hold: timedelta


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing changes any more."""

    table: Table
    outcome: Outcome


Turn = AfterDraw | AfterClaim
Window = DiscardWindow | RobbingWindow
Open = Dealing | Turn | Window
Dealt = Open | Ended
State = NotDealt | Dealt


def sorted_without(tiles: Tiles, *gone: TileId) -> Tiles:
    """A hand without these tiles, all of which it holds."""
    assert set(gone) <= set(tiles), "only what is held can leave"
    return tuple(tile for tile in tiles if tile not in gone)


def at_seat(by_seat: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """What is kept by seat, with another value for one."""
    return (*by_seat[:seat], value, *by_seat[seat + 1 :])


def with_hand(table: Table, seat: int, hand: Tiles) -> Table:
    """The table with another hand of a seat."""
    return table._replace(hands=at_seat(table.hands, seat, tuple(sorted(hand))))


def with_meld(table: Table, seat: int, meld: Meld) -> Table:
    """The table with one more meld of a seat."""
    return table._replace(melds=at_seat(table.melds, seat, (*table.melds[seat], meld)))
