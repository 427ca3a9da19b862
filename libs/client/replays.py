"""Games that were played, as values: listed, and told again with why each pair was worth what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from libs.client.board_view import Place
from libs.client.pools import PoolEnd
from libs.client.race_views import CpuLevel, Difficulty
from libs.client.results import GameSummary
from libs.client.rounds import Mode, Out, PairKind


@dataclass(frozen=True, slots=True)
class TakenPair:
    """A pair that left the board.

    In single player and in a race nothing is worth anything; `kind` and the records are those of rounds. In
    the pool it is worth `value` times `pairs_on_board`.
    """

    tiles: tuple[int, int]
    faces: tuple[str, str]
    kind: PairKind | None
    worth: int
    took_ms: int
    record_before_ms: int | None
    record_after_ms: int | None
    undecided: bool
    value: int = 0
    pairs_on_board: int = 0


@dataclass(frozen=True, slots=True)
class BlockedTouch:
    """A blocked tile was touched, which cost so much."""

    tile: int
    covered_by: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class FreeTouch:
    """A free tile was touched in a race; `not_same`: as the second of two that do not match."""

    tile: int
    not_same: bool


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A board was shuffled: `faces` are the tiles that are left. In the pool it may have been impossible.

    `moved`: tiles took other places. `left` is none where there is no limit.
    """

    faces: Mapping[int, str]
    moved: bool
    impossible: bool
    charge: int
    left: int | None


@dataclass(frozen=True, slots=True)
class LitPair:
    """A hint lit a pair."""

    tiles: tuple[int, int]
    faces: tuple[str, str]
    charge: int
    left: int | None


@dataclass(frozen=True, slots=True)
class UndonePair:
    """A pair of the pool was taken back: `faces` are the tiles as they lie again, `worth` what it brought."""

    tiles: tuple[int, int]
    faces: Mapping[int, str]
    charge: int
    worth: int
    left: int


class RaceNews(StrEnum):
    """What became of a seat of a race beside its board."""

    GAVE_UP = "gave_up"
    GAVE_UP_STUCK = "gave_up_stuck"
    """When nothing else was left to do."""
    AWAY = "away"
    BACK = "back"


What = TakenPair | BlockedTouch | Out | FreeTouch | Shuffled | LitPair | UndonePair | RaceNews | PoolEnd


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a seat did, so long after the signal; then the score and the tiles left.

    `player` is empty for a CPU player; `by_cpu`: the CPU did it in the player's place; `percent` is the
    progress in a race.
    """

    player: str
    at_ms: int
    what: What
    round_score: int
    tiles_left: int
    seat: int = 0
    by_cpu: bool = False
    percent: int = 0


@dataclass(frozen=True, slots=True)
class Unsolvable:
    """A stretch of play on a board that could not be cleared without a joker.

    It begins after so many of the player's pairs, or earlier where that is not `exact`, and lasts to the
    joker that was the player's pair of that number, or to the end.
    """

    after_pairs: int
    ended_by_pair: int | None
    exact: bool


class Finish(StrEnum):
    """The class in which a seat of a race is placed, the best first."""

    WITHIN_LIMIT = "within_limit"
    OVER_LIMIT = "over_limit"
    UNFINISHED = "unfinished"
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True)
class RacePlacing:
    """How a seat of a race ended; `rating` is none where the race did not count for it."""

    cpu: CpuLevel | None
    place: int
    finish: Finish
    elapsed_ms: int | None
    percent: int
    cpu_played: bool
    rating_before: int | None
    rating: int | None


@dataclass(frozen=True, slots=True)
class PoolPlacing:
    """How a seat of the pool ended; place 0 for a seat that did not play, `payout` in chips."""

    place: int
    score: int
    end: PoolEnd
    pairs_left: int
    payout: int


@dataclass(frozen=True, slots=True)
class SeatReplay:
    """What is told of a seat beside its steps; `undecided`: of some stretch nothing could be told.

    `board` is the place of its board among those of the replay; `placing` how it ended, in a race and in the
    pool.
    """

    player: str
    unsolvable: tuple[Unsolvable, ...]
    undecided: bool
    board: int = 0
    placing: RacePlacing | PoolPlacing | None = None


@dataclass(frozen=True, slots=True)
class DealtBoard:
    """A board as it was dealt, with the faces that may be known."""

    layout: str
    places: tuple[Place, ...]
    faces: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Replay:
    """One round of a finished match, a race, a game of the pool, or a finished attempt."""

    name: str
    mode: Mode
    round_number: int
    round_count: int
    boards: tuple[DealtBoard, ...]
    seats: tuple[SeatReplay, ...]
    steps: tuple[Step, ...]
    stake: int = 0
    """The chips that each seat of a match of the pool paid."""


@dataclass(frozen=True, slots=True)
class PlayedRace:
    """A race in a list."""

    own: RacePlacing
    seats: int
    difficulty: Difficulty
    rated: bool


@dataclass(frozen=True, slots=True)
class PlayedPool:
    """A game of the pool in a list; one seat is training; a void one returned the stakes."""

    own: PoolPlacing
    seats: int
    stake: int
    is_void: bool


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of this player in a list; `end_time` is none while it is played."""

    name: str
    mode: Mode
    start_time: datetime
    end_time: datetime | None
    came_to: GameSummary | PlayedRace | PlayedPool
