"""The state of a race: a union of shapes, so that an impossible combination cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from uuid import UUID

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, free_mask, is_uncovered
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs, has_available_pair
from libs.rules.tiles import Face
from services.match.domain.race.dealing import PAIRING
from services.match.domain.race.events import RaceDealt, RaceEnded
from services.match.domain.race.settings import Settings
from services.match.domain.race.terms import MILLISECOND, RaceDeal, RaceSeat


@dataclass(frozen=True)
class RaceBoard:
    """The tiles that are left. Sets of tiles are ints: bit t is tile t."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching

    @cached_property
    def pair_available(self) -> bool:
        """Whether a pair is available. False while tiles are left: blocked."""
        return has_available_pair(self.layout, self.faces, self.present, self.matching, PAIRING)

    @cached_property
    def free(self) -> int:
        """The free tiles."""
        return free_mask(self.layout, self.present)

    @cached_property
    def uncovered(self) -> int:
        """The tiles whose face can be seen."""
        seen = 0
        for tile in bits(self.present):
            if is_uncovered(self.layout, self.present, tile):
                seen |= 1 << tile
        return seen

    def pairs(self) -> list[tuple[int, int]]:
        """The available pairs."""
        return available_pairs(self.layout, self.faces, self.present, self.matching, PAIRING)


@dataclass(frozen=True, slots=True)
class Racer:
    """One seat: its board, what was used up, its clocks."""

    seat: RaceSeat
    board: RaceBoard
    board_version: int
    """Counts the accepted commands."""
    touches: int
    shuffles_used: int
    hints_used: int
    pause_until: datetime
    """Until then the seat waits after a shuffle."""
    progress_at: datetime
    """When the last pair went, or the signal."""
    acted_at: datetime
    """When the seat last did anything, whoever played it."""
    moved_at: datetime
    """When the person last made a move, or the signal."""
    away_since: datetime | None
    finished_ms: int | None = None
    finished_by_cpu: bool = False
    """In place of a person."""
    cpu_pairs: int = 0
    """Pairs that the CPU removed in place of the person."""
    gave_up: bool = False
    gave_up_stuck: bool = False
    """Gave up when nothing else was left to do."""

    @property
    def tiles(self) -> int:
        """How many tiles the board had."""
        return self.board.layout.size

    @property
    def tiles_left(self) -> int:
        """How many are left."""
        return self.board.present.bit_count()

    @property
    def share(self) -> Fraction:
        """The share of tiles removed: the progress."""
        return Fraction(self.tiles - self.tiles_left, self.tiles)

    @property
    def percent(self) -> int:
        """The progress as shown: whole percent, rounded down."""
        return int(self.share * 100)


@dataclass(frozen=True, slots=True)
class Race:
    """What stays the same from deal to end."""

    dealt: RaceDealt

    @property
    def race_id(self) -> UUID:
        """The id."""
        return self.dealt.race_id

    @property
    def settings(self) -> Settings:
        """What the host chose."""
        return self.dealt.settings

    @property
    def seats(self) -> tuple[RaceSeat, ...]:
        """Who plays."""
        return self.dealt.seats

    def deal_of(self, seat: int) -> RaceDeal:
        """What a seat plays."""
        return self.dealt.deals[self.seats[seat].deal]

    def seat_of(self, account_id: UUID) -> int | None:
        """The seat of an account; None when it has none."""
        return next((n for n, seat in enumerate(self.seats) if seat.account_id == account_id), None)


@dataclass(frozen=True, slots=True)
class NotDealt:
    """A stream without events."""


@dataclass(frozen=True, slots=True)
class Countdown:
    """3, 2, 1: nothing can be played and no face is shown."""

    race: Race
    since: datetime
    """When the countdown began, moved on by pauses."""
    last_at: datetime
    paused_until: datetime
    away: dict[int, datetime]
    """Seats that have left, and since when."""


@dataclass(frozen=True, slots=True)
class Racing:
    """Commands are accepted."""

    race: Race
    racers: tuple[Racer, ...]
    since: datetime
    """The signal, moved on by pauses: the race's clock."""
    last_at: datetime
    paused_until: datetime


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing changes any more."""

    race: Race
    racers: tuple[Racer, ...]
    since: datetime
    last_at: datetime
    ended: RaceEnded


Dealt = Countdown | Racing | Over
State = NotDealt | Dealt


def elapsed_ms(state: Dealt, at: datetime) -> int:
    """Whole milliseconds since the signal without pauses; 0 before it; stands still at the end."""
    match state:
        case Racing(since=since, last_at=last_at):
            return max(0, (max(at, last_at) - since) // MILLISECOND)
        case Over(since=since, ended=ended):
            return max(0, (ended.occurred_at - since) // MILLISECOND)
        case _:
            return 0


def shuffles_left(race: Race, racer: Racer) -> int | None:
    """How many shuffles a seat may still use; None: as many as it likes."""
    allowed = race.settings.shuffles
    return None if allowed is None else max(0, allowed - racer.shuffles_used)


def hints_left(race: Race, racer: Racer) -> int | None:
    """How many hints a seat may still use; None: as many as it likes."""
    allowed = race.settings.hints
    return None if allowed is None else max(0, allowed - racer.hints_used)


def is_stuck(race: Race, racer: Racer) -> bool:
    """Whether only giving up remains: tiles are left, no pair is available and no shuffle is left."""
    return bool(racer.board.present) and shuffles_left(race, racer) == 0 and not racer.board.pair_available


def is_done(race: Race, racer: Racer) -> bool:
    """Whether nothing more can come of the seat."""
    return racer.finished_ms is not None or racer.gave_up or is_stuck(race, racer)


def pause_left(racer: Racer, at: datetime) -> timedelta:
    """How long the seat still waits after its shuffle."""
    return max(timedelta(), racer.pause_until - at)
