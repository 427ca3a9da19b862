"""What a player sees of a race, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from libs.client.board_view import BoardView, Place
from libs.client.rematches import offered_until
from libs.pb.sparrow.match.v1 import race_pb2 as wire


class Difficulty(StrEnum):
    """How large the board is."""

    START = "start"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class CpuLevel(StrEnum):
    """How well and how fast a CPU player plays."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class RaceState(StrEnum):
    """Where a race stands."""

    COUNTDOWN = "countdown"
    RUNNING = "running"
    OVER = "over"


class RaceMove(StrEnum):
    """What an own command did."""

    PAIR = "pair"
    BLOCKED = "blocked"
    NOT_SAME = "not_same"
    FREE = "free"
    SHUFFLED = "shuffled"
    HINT = "hint"
    GAVE_UP = "gave_up"


DIFFICULTY_TO_WIRE: Final[Mapping[Difficulty, wire.RaceDifficulty.ValueType]] = {
    Difficulty.START: wire.RACE_DIFFICULTY_START,
    Difficulty.EASY: wire.RACE_DIFFICULTY_EASY,
    Difficulty.MEDIUM: wire.RACE_DIFFICULTY_MEDIUM,
    Difficulty.HARD: wire.RACE_DIFFICULTY_HARD,
}
CPU_TO_WIRE: Final[Mapping[CpuLevel, wire.CpuLevel.ValueType]] = {
    CpuLevel.EASY: wire.CPU_LEVEL_EASY,
    CpuLevel.MEDIUM: wire.CPU_LEVEL_MEDIUM,
    CpuLevel.HARD: wire.CPU_LEVEL_HARD,
}
_CPU_OF: Final = {value: level for level, value in CPU_TO_WIRE.items()}
_STATE_OF: Final = {
    wire.RACE_STATE_COUNTDOWN: RaceState.COUNTDOWN,
    wire.RACE_STATE_RUNNING: RaceState.RUNNING,
    wire.RACE_STATE_OVER: RaceState.OVER,
}
_MOVE_OF: Final = {
    wire.RACE_MOVE_PAIR: RaceMove.PAIR,
    wire.RACE_MOVE_BLOCKED: RaceMove.BLOCKED,
    wire.RACE_MOVE_NOT_SAME: RaceMove.NOT_SAME,
    wire.RACE_MOVE_FREE: RaceMove.FREE,
    wire.RACE_MOVE_SHUFFLED: RaceMove.SHUFFLED,
    wire.RACE_MOVE_HINT: RaceMove.HINT,
    wire.RACE_MOVE_GAVE_UP: RaceMove.GAVE_UP,
}


@dataclass(frozen=True, slots=True)
class RaceLine:
    """How a seat stands; `player` is none for a CPU player, `finished_ms` until the board is cleared."""

    player: str | None
    cpu: CpuLevel | None
    place: int
    percent: int
    finished_ms: int | None


@dataclass(frozen=True, slots=True)
class RaceResult:
    """How a seat ended; `elapsed_ms` is none where the board was not cleared, `rating` where unrated."""

    player: str | None
    cpu: CpuLevel | None
    place: int
    percent: int
    elapsed_ms: int | None
    cpu_played: bool
    rating: int | None


@dataclass(frozen=True, slots=True)
class RaceTold:
    """What a command did: `pair` is what was removed or lit, `blockers` the tiles that block one."""

    move: RaceMove | None
    pair: tuple[int, int] | None
    tile: int | None
    blockers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RaceView:
    """A race as its seat sees it; shuffles and hints are none where they are unlimited."""

    name: str
    state: RaceState
    board: BoardView
    lines: tuple[RaceLine, ...]
    results: tuple[RaceResult, ...]
    shuffles_left: int | None
    hints_left: int | None
    stuck: bool
    elapsed_ms: int
    limit_ms: int
    excess_ms: int
    rematch_until: datetime | None
    """Until when a race that is over offers a rematch."""


def race_of(message: wire.Race, before: RaceView | None = None) -> RaceView:
    """Translate a race; what an update leaves out is as it was `before`."""
    own = message.own
    return RaceView(
        name=message.name,
        state=_STATE_OF[message.state],
        board=_board_of(message, before),
        lines=tuple(_line_of(line) for line in message.lines),
        results=tuple(_result_of(result) for result in message.results),
        shuffles_left=own.shuffles_left if own.HasField("shuffles_left") else None,
        hints_left=own.hints_left if own.HasField("hints_left") else None,
        stuck=own.stuck,
        elapsed_ms=message.elapsed_ms,
        limit_ms=message.limit_ms,
        excess_ms=message.excess_ms,
        rematch_until=offered_until(message),
    )


def told_of(update: wire.RaceUpdate) -> RaceTold:
    """Translate what a command did."""
    why = update.blockers
    return RaceTold(
        move=_MOVE_OF.get(update.move),
        pair=(update.pair.first, update.pair.second) if update.HasField("pair") else None,
        tile=update.tile if update.HasField("tile") else None,
        blockers=(*why.covered_by, *why.left, *why.right),
    )


def _board_of(message: wire.Race, before: RaceView | None) -> BoardView:
    board = message.board
    if not message.HasField("board"):
        assert before is not None, "a snapshot has a board"
        return before.board
    if board.HasField("layout"):
        name = board.layout.name
        places = tuple(Place(tile.x, tile.y, tile.z) for tile in board.layout.tiles)
    else:
        assert before is not None, "a snapshot has a layout"
        name, places = before.board.layout, before.board.places
    return BoardView(
        layout=name,
        places=places,
        present=frozenset(board.present),
        faces={shown.tile: shown.face for shown in board.faces},
        lifted=None,
        free=frozenset(board.free_tiles),
        pair_available=board.pair_available,
        version=board.board_version,
    )


def _line_of(line: wire.RaceLine) -> RaceLine:
    finished = line.finished_ms if line.HasField("finished_ms") else None
    return RaceLine(line.player or None, _CPU_OF.get(line.cpu), line.place, line.progress_percent, finished)


def _result_of(result: wire.RaceResult) -> RaceResult:
    return RaceResult(
        player=result.player or None,
        cpu=_CPU_OF.get(result.cpu),
        place=result.place,
        percent=result.progress_percent,
        elapsed_ms=result.elapsed_ms if result.HasField("elapsed_ms") else None,
        cpu_played=result.cpu_played,
        rating=result.rating if result.HasField("rating") else None,
    )
