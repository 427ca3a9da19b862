"""A match of others as a spectator sees it, as plain values that grow by one message after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from libs.client.board_view import BoardView, Place
from libs.client.race_views import CPU_TO_WIRE, CpuLevel
from libs.client.rounds import Out
from libs.pb.sparrow.match.v1 import match_pb2 as match
from libs.pb.sparrow.match.v1 import pool_pb2 as pool
from libs.pb.sparrow.match.v1 import spectate_pb2 as wire
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as calls


class SpectateMode(StrEnum):
    """What is played."""

    QUICK = "quick"
    ARENA = "arena"
    RACE = "race"
    POOL = "pool"
    TOURNAMENT = "tournament"


class SpectateState(StrEnum):
    """Where a match stood at the shown instant."""

    COUNTDOWN = "countdown"
    RUNNING = "running"
    BREAK = "break"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class SpectatedMove:
    """What a seat did, by its name: "paired", "lifted", "shuffled" …; `worth` less than 0 is a charge."""

    seat: int
    act: str
    pair: tuple[int, int] | None
    tile: int | None
    worth: int


@dataclass(frozen=True, slots=True)
class SpectatedSeat:
    """A seat; `player` is none for a CPU player, `place` outside races and before their signal."""

    player: str | None
    cpu: CpuLevel | None
    board: BoardView
    score: int
    out: str | None
    """Why it plays no further, in a word: "idle", "left", "cleared", "blocked" …"""
    place: int | None
    finished_ms: int | None
    away: bool


@dataclass(frozen=True, slots=True)
class SpectatedResult:
    """How a seat ended: `gained` is account points, chips out of the pot, or none in a race."""

    player: str | None
    cpu: CpuLevel | None
    place: int
    score: int | None
    gained: int | None
    elapsed_ms: int | None


@dataclass(frozen=True, slots=True)
class SpectatedMatch:
    """A match at `shown_time`, which is `delay_ms` ago; `moves` is what the last message told."""

    name: str
    mode: SpectateMode
    state: SpectateState
    delay_ms: int
    shown_time: datetime
    elapsed_ms: int
    limit_ms: int
    seats: tuple[SpectatedSeat, ...]
    moves: tuple[SpectatedMove, ...]
    round_number: int | None
    round_count: int | None
    pot: int
    results: tuple[SpectatedResult, ...]
    """By place, once a round or the match is over."""


MODE_TO_WIRE: Final[Mapping[SpectateMode, wire.SpectateMode.ValueType]] = {
    SpectateMode.QUICK: wire.SPECTATE_MODE_QUICK_MATCH,
    SpectateMode.ARENA: wire.SPECTATE_MODE_ARENA,
    SpectateMode.RACE: wire.SPECTATE_MODE_RACE,
    SpectateMode.POOL: wire.SPECTATE_MODE_POOL,
    SpectateMode.TOURNAMENT: wire.SPECTATE_MODE_TOURNAMENT,
}
MODE_OF: Final = {value: mode for mode, value in MODE_TO_WIRE.items()}
_STATE_OF: Final[Mapping[int, SpectateState]] = {
    wire.SPECTATE_STATE_COUNTDOWN: SpectateState.COUNTDOWN,
    wire.SPECTATE_STATE_RUNNING: SpectateState.RUNNING,
    wire.SPECTATE_STATE_BREAK: SpectateState.BREAK,
    wire.SPECTATE_STATE_OVER: SpectateState.OVER,
}
_CPU_OF: Final[Mapping[int, CpuLevel]] = {value: level for level, value in CPU_TO_WIRE.items()}
_OUT_OF: Final[Mapping[int, str]] = {
    match.OUT_REASON_IDLE: Out.IDLE.value,
    match.OUT_REASON_LEFT: Out.LEFT.value,
}


def spectated_of(response: calls.SpectateResponse, before: SpectatedMatch | None) -> SpectatedMatch | None:
    """Translate a message; what an update leaves out is as it was `before`. None: it tells nothing."""
    moves: tuple[SpectatedMove, ...] = ()
    if response.HasField("snapshot"):
        told = response.snapshot
        seats = tuple(_seat_of(seat, told, None) for seat in told.seats)
    elif response.HasField("update"):
        assert before is not None, "a snapshot comes first"
        told = response.update.match
        changed = {seat.seat: _seat_of(seat, told, before.seats[seat.seat]) for seat in told.seats}
        seats = tuple(
            _placed(changed.get(number, seat), told, number) for number, seat in enumerate(before.seats)
        )
        moves = tuple(map(_move_of, response.update.moves))
    else:
        return None
    return SpectatedMatch(
        name=told.name,
        mode=MODE_OF[told.mode],
        state=_STATE_OF[told.state],
        delay_ms=response.delay_ms,
        shown_time=response.shown_time.ToDatetime(UTC),
        elapsed_ms=response.elapsed_ms,
        limit_ms=told.limit_ms,
        seats=seats,
        moves=moves,
        round_number=told.round_number or None,
        round_count=told.round_count or None,
        pot=told.pot,
        results=results_of(told),
    )


def results_of(told: wire.SpectatedMatch) -> tuple[SpectatedResult, ...]:
    """Translate how a match, or a round of it, ended; none while it goes on."""
    found: list[SpectatedResult] = []
    if told.HasField("race_result"):
        found = [
            SpectatedResult(
                seat.player or None,
                _CPU_OF.get(seat.cpu),
                seat.place,
                None,
                None,
                seat.elapsed_ms if seat.HasField("elapsed_ms") else None,
            )
            for seat in told.race_result.results
        ]
    elif told.HasField("pool_result"):
        found = [
            SpectatedResult(seat.player, None, seat.place, seat.score, seat.payout, None)
            for seat in told.pool_result.seats
        ]
    elif told.standings and told.HasField("round_result"):
        found = [
            SpectatedResult(seat.player, None, seat.place, seat.score, seat.points, None)
            for seat in told.standings
        ]
    elif told.HasField("round_result"):
        found = [
            SpectatedResult(seat.player, None, seat.place, seat.round_score, seat.points, None)
            for seat in told.round_result.seats
        ]
    return tuple(sorted(found, key=lambda result: result.place))


def _seat_of(
    seat: wire.SpectatedSeat, told: wire.SpectatedMatch, before: SpectatedSeat | None
) -> SpectatedSeat:
    return SpectatedSeat(
        player=seat.player or None,
        cpu=_CPU_OF.get(seat.cpu),
        board=_board_of(seat.board, told, before),
        score=seat.score,
        out=_out_of(seat),
        place=told.places[seat.seat] if told.places else None,
        finished_ms=seat.finished_ms if seat.HasField("finished_ms") else None,
        away=seat.away,
    )


def _placed(seat: SpectatedSeat, told: wire.SpectatedMatch, number: int) -> SpectatedSeat:
    return replace(seat, place=told.places[number]) if told.places else seat


def _out_of(seat: wire.SpectatedSeat) -> str | None:
    if seat.pool_ending:
        ending = pool.PoolSeatEnding.Name(seat.pool_ending)
        return ending.removeprefix("POOL_SEAT_ENDING_").lower().replace("_", " ")
    return "gave up" if seat.gave_up else _OUT_OF.get(seat.out)


def _board_of(
    board: wire.SpectatedBoard, told: wire.SpectatedMatch, before: SpectatedSeat | None
) -> BoardView:
    if before is None:
        layout = told.layouts[board.layout]
        name, places = layout.name, tuple(Place(tile.x, tile.y, tile.z) for tile in layout.tiles)
    else:
        name, places = before.board.layout, before.board.places
    return BoardView(
        layout=name,
        places=places,
        present=frozenset(board.present),
        faces={seen.tile: seen.face for seen in board.faces},
        lifted=board.lifted if board.HasField("lifted") else None,
        free=frozenset(board.free_tiles),
        pair_available=board.pair_available,
        version=0,
    )


def _move_of(move: wire.SpectatedMove) -> SpectatedMove:
    return SpectatedMove(
        seat=move.seat,
        act=wire.SpectateAct.Name(move.act).removeprefix("SPECTATE_ACT_").lower(),
        pair=(move.pair.first, move.pair.second) if move.HasField("pair") else None,
        tile=move.tile if move.HasField("tile") else None,
        worth=move.worth or -move.charge,
    )
