"""What the client answers with: frozen values in the words of the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from libs.client.rounds import (
    Mode,
    OwnPart,
    PairWorth,
    RoundResult,
    SeatProgress,
    SeatStanding,
    TournamentTable,
)


class BoardKind(StrEnum):
    """The boards: of points, of table points of MCR, of ratings."""

    AMR = "amr"
    """The last 365 Romanian days."""
    WEEKLY = "weekly"
    """Monday to Sunday."""
    DAILY = "daily"
    """Today."""
    MCR_YEAR = "mcr_year"
    """Table points of the last 365 Romanian days, at tables of at least two persons; they may be negative."""
    MCR_WEEKLY = "mcr_weekly"
    """The same, Monday to Sunday."""
    MCR_DAILY = "mcr_daily"
    """The same, today."""
    RACE_RATING = "race_rating"
    """What each rating is: no days are counted."""
    MCR_AI_YEAR = "mcr_ai_year"
    """Table points of the last 365 Romanian days, of one person against the AI."""
    MCR_AI_WEEKLY = "mcr_ai_weekly"
    """The same, Monday to Sunday."""
    MCR_AI_DAILY = "mcr_ai_daily"
    """The same, today."""


class GameState(StrEnum):
    """Where a game stands."""

    COUNTDOWN = "countdown"
    """Several seats: no face is shown before the signal."""
    RUNNING = "running"
    CLEARED = "cleared"
    LEFT = "left"
    RESTARTED = "restarted"
    BREAK = "break"
    """Several rounds: one is over, the next is dealt and not begun."""
    OVER = "over"
    """Several seats: over for everybody."""


class Outcome(StrEnum):
    """What a touch came to."""

    LIFTED = "lifted"
    """The touched tile is lifted now."""
    PAIRED = "paired"
    """The lifted and the touched tile are gone."""
    NOT_SAME = "not_same"
    """It does not match and is free only while the other is away: that one stays lifted."""
    PUT_BACK = "put_back"
    """The lifted tile lies in its place again."""
    JOKER = "joker"
    """A joker took the lifted tile and its partner."""
    BLOCKED = "blocked"
    """The touched tile is not free: see the blockers."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A player as others see one. `name` is "players/<uuid>"."""

    name: str
    display_name: str


@dataclass(frozen=True, slots=True)
class Blockers:
    """Why a tile is not free: tiles that cover it, or tiles that close both its sides."""

    covered_by: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LevelResult:
    """What clearing a level brought. `place` counts from 1 among the best times of other players."""

    elapsed_ms: int
    place: int
    first_completion_points: int
    time_bonus_points: int

    @property
    def points(self) -> int:
        """Both bonuses together: 0, 5, 10, 15 or 20."""
        return self.first_completion_points + self.time_bonus_points


@dataclass(frozen=True, slots=True)
class Update:
    """What one command changed on a board, as its seat may see it.

    `outcome` and `tile` are there where there was a touch. `uncovered` are faces seen for the first time;
    `result` comes with the pair that cleared the level, `next_match` with a restart. In games of several
    seats `opponents`, `round_score` and `own` tell how far everybody has come, `pair_worth` what a pair
    brought, `round_result` how it ended; of several rounds `round_number` says which one this is about, and
    `standings` come with the end of each.
    """

    time: datetime
    outcome: Outcome | None
    tile: int | None
    pair: tuple[int, int] | None
    blockers: Blockers | None
    uncovered: Mapping[int, str]
    lifted: int | None
    free: frozenset[int]
    pair_available: bool
    board_version: int
    tiles_left: int
    state: GameState
    result: LevelResult | None
    next_match: str | None
    opponents: tuple[SeatProgress, ...] = ()
    round_score: int | None = None
    round_result: RoundResult | None = None
    own: OwnPart | None = None
    pair_worth: PairWorth | None = None
    round_number: int | None = None
    standings: tuple[SeatStanding, ...] = ()
    rematch_until: datetime | None = None
    """Until when a match that this ended offers a rematch."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game in a list: everything but its board.

    `standings` are those of a match of several rounds, `round_result` how the only one of a match ended.
    """

    name: str
    level: int
    hard: bool
    state: GameState
    elapsed_ms: int
    start_time: datetime
    end_time: datetime | None
    result: LevelResult | None
    mode: Mode
    standings: tuple[SeatStanding, ...] = ()
    player: str = ""
    round_result: RoundResult | None = None
    tournament: TournamentTable | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """A numbered level and what the caller has done on it; `best_ms` is none before the first completion."""

    level: int
    hard: bool
    layout: str
    tile_count: int
    best_ms: int | None


@dataclass(frozen=True, slots=True)
class LevelBest:
    """A row of a level's best times."""

    place: int
    player: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class LevelBests:
    """The best times of a level, and the caller's own row where there is one."""

    rows: tuple[LevelBest, ...]
    own: LevelBest | None


@dataclass(frozen=True, slots=True)
class BoardWindow:
    """The Romanian days that a board counts, both included, and the instants at which they begin and end.

    The board of ratings has neither.
    """

    board: BoardKind
    first_day: date | None
    last_day: date | None
    start_time: datetime | None
    end_time: datetime | None
    time_zone: str

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day of a board that counts days."""
        assert self.first_day is not None and self.last_day is not None, f"{self.board} counts no days"
        return self.first_day, self.last_day


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """A row of a board; equal points share a rank (1, 2, 2, 4)."""

    rank: int
    player: str
    points: int
    previous_rank: int | None = None
    """When the day before ended; none for who was not listed then, and where it was not asked for."""


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of a board; `next_page_token` is empty at the end."""

    entries: tuple[BoardEntry, ...]
    next_page_token: str
    window: BoardWindow
    player_count: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row on one board; no `entry` while the player is not listed."""

    window: BoardWindow
    entry: BoardEntry | None
    player_count: int


@dataclass(frozen=True, slots=True)
class Contribution:
    """A transfer that counts in a standing. `points` is negative where the player gave."""

    key: str
    reason: str
    points: int
    day: date
    occurred_time: datetime
    posted_time: datetime
    reverses: str
    """The key of what it takes back, or empty."""
    cause: str
    """The event that caused it, "<site>/<service>:<stream>/<version>", or empty."""
    subject: str
    """"matches/<uuid>", "tables/<uuid>", "levels/<number>" or empty."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A standing, and a page of what it is made of, the newest first."""

    standing: Standing
    contributions: tuple[Contribution, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class StandingDay:
    """A Romanian day of a player: its points, and points and rank on AMR at its end."""

    day: date
    points: int
    amr_points: int
    amr_rank: int | None
    """None when not listed then, or when it is not known."""


@dataclass(frozen=True, slots=True)
class Balances:
    """What a player owns besides points; never below 0."""

    jokers: int
    chips: int
    cups: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind; kinds without one are absent."""


@dataclass(frozen=True, slots=True)
class DailyBonus:
    """Where a player's daily bonus stands on a Romanian day."""

    streak_day: int
    """Days claimed in a row, up to today or yesterday; 0 when none is running."""
    claimed: bool
    doubled: bool
    next_points: int
    """What the next claim pays: today's, or tomorrow's when today's was claimed."""
    next_joker: bool
    doubling_points: int
    """What a doubling pays now; 0 when there is nothing to double."""
    doubling_needs_receipt: bool
    day: date
    end_time: datetime
    """When today ends."""
    time_zone: str


@dataclass(frozen=True, slots=True)
class BonusPaid:
    """What a claim or a doubling paid; `jokers` is 0 or 1."""

    day: date
    points: int
    jokers: int = 0
    streak_day: int | None = None
    """The day of the streak that was claimed; none for a doubling."""


@dataclass(frozen=True, slots=True)
class ChipsClaimed:
    """What topped the chips up, and the Romanian day it was."""

    day: date
    chips: int


@dataclass(frozen=True, slots=True)
class Redeemed:
    """What a shop's receipt brought, and under which key of the journal."""

    jokers: int
    key: str
    time: datetime
    """When the receipt was redeemed first."""


@dataclass(frozen=True, slots=True)
class Granted:
    """What an operator gave a player, under which key of the journal."""

    player: str
    asset: str
    amount: int
    key: str
