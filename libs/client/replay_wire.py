"""Translates histories from the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from typing import Any, Final

from libs.client.board_view import Place
from libs.client.pools import PoolEnd
from libs.client.race_views import CPU_TO_WIRE, DIFFICULTY_TO_WIRE
from libs.client.replays import (
    BlockedTouch,
    DealtBoard,
    Finish,
    FreeTouch,
    LitPair,
    PlayedGame,
    PlayedPool,
    PlayedRace,
    PoolPlacing,
    RaceNews,
    RacePlacing,
    Replay,
    SeatReplay,
    Shuffled,
    Step,
    TakenPair,
    UndonePair,
    Unsolvable,
    What,
)
from libs.client.rounds import Mode, Out, PairKind
from libs.client.wire import summary_of
from libs.pb.sparrow.match.v1 import history_pb2 as wire
from libs.pb.sparrow.match.v1 import match_pb2 as match
from libs.pb.sparrow.match.v1 import pool_pb2 as pool
from libs.pb.sparrow.match.v1 import race_pb2 as race
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2 as solitaire

MODE_TO_WIRE: Final = {
    Mode.SINGLE: match.MODE_SINGLE_PLAYER,
    Mode.QUICK: match.MODE_QUICK_MATCH,
    Mode.ARENA: match.MODE_ARENA,
    Mode.RACE: match.MODE_RACE,
    Mode.POOL: match.MODE_POOL,
    Mode.TOURNAMENT: match.MODE_TOURNAMENT,
}
_MODES: Final[Mapping[int, Mode]] = {value: mode for mode, value in MODE_TO_WIRE.items()}
_KINDS: Final[Mapping[int, PairKind]] = {
    match.PAIR_KIND_PLAIN: PairKind.PLAIN,
    match.PAIR_KIND_PACE: PairKind.PACE,
    match.PAIR_KIND_CRUCIAL: PairKind.CRUCIAL,
    match.PAIR_KIND_JOKER: PairKind.JOKER,
}
_OUTS: Final[Mapping[int, Out]] = {match.OUT_REASON_IDLE: Out.IDLE, match.OUT_REASON_LEFT: Out.LEFT}
_NEWS: Final[Mapping[int, RaceNews]] = {
    wire.RACE_NEWS_GAVE_UP: RaceNews.GAVE_UP,
    wire.RACE_NEWS_GAVE_UP_STUCK: RaceNews.GAVE_UP_STUCK,
    wire.RACE_NEWS_AWAY: RaceNews.AWAY,
    wire.RACE_NEWS_BACK: RaceNews.BACK,
}
_FINISHES: Final[Mapping[int, Finish]] = {
    race.RACE_FINISH_WITHIN_LIMIT: Finish.WITHIN_LIMIT,
    race.RACE_FINISH_OVER_LIMIT: Finish.OVER_LIMIT,
    race.RACE_FINISH_UNFINISHED: Finish.UNFINISHED,
    race.RACE_FINISH_GIVEN_UP: Finish.GIVEN_UP,
}
_POOL_ENDS: Final[Mapping[int, PoolEnd]] = {
    pool.POOL_SEAT_ENDING_CLEARED: PoolEnd.CLEARED,
    pool.POOL_SEAT_ENDING_BLOCKED: PoolEnd.BLOCKED,
    pool.POOL_SEAT_ENDING_TIME: PoolEnd.TIME,
    pool.POOL_SEAT_ENDING_ENDED: PoolEnd.ENDED,
    pool.POOL_SEAT_ENDING_LEFT: PoolEnd.LEFT,
    pool.POOL_SEAT_ENDING_NOT_PLAYED: PoolEnd.NOT_PLAYED,
}
_VOID: Final = frozenset({pool.POOL_ENDING_VOID_STAKES, pool.POOL_ENDING_VOID_MOVES})
_DIFFICULTIES: Final = {value: difficulty for difficulty, value in DIFFICULTY_TO_WIRE.items()}
_CPU_LEVELS: Final = {value: level for level, value in CPU_TO_WIRE.items()}


def replay_of(message: wire.MatchReplay) -> Replay:
    """Translate a page of a replay; boards and seats are on the first one only."""
    first = wire.DealtBoard(layout=message.layout, faces=message.faces)
    return Replay(
        message.name,
        _MODES[message.mode],
        message.round_number,
        message.round_count,
        tuple(map(_board_of, (first, *message.more_boards))),
        tuple(map(_seat_of, message.seats)),
        tuple(map(_step_of, message.steps)),
        message.stake,
    )


def played_of(message: wire.PlayedGame) -> PlayedGame:
    """Translate a game in a list."""
    came_to: Any
    match message.WhichOneof("came_to"):
        case "race":
            told = message.race
            placing = _race_placing(told.own)
            came_to = PlayedRace(placing, told.seat_count, _DIFFICULTIES[told.difficulty], told.rated)
        case "pool":
            of = message.pool
            came_to = PlayedPool(_pool_placing(of.own), of.seat_count, of.stake, of.ending in _VOID)
        case _:
            came_to = summary_of(message.match)
    return PlayedGame(
        message.name,
        _MODES[message.mode],
        message.start_time.ToDatetime(UTC),
        message.end_time.ToDatetime(UTC) if message.HasField("end_time") else None,
        came_to,
    )


def _board_of(board: wire.DealtBoard) -> DealtBoard:
    places = tuple(Place(tile.x, tile.y, tile.z) for tile in board.layout.tiles)
    return DealtBoard(board.layout.name, places, _faces(board.faces))


def _seat_of(seat: wire.SeatReplay) -> SeatReplay:
    placing: RacePlacing | PoolPlacing | None = None
    if seat.HasField("race_result"):
        placing = _race_placing(seat.race_result)
    elif seat.HasField("pool_result"):
        placing = _pool_placing(seat.pool_result)
    stretches = tuple(map(_unsolvable_of, seat.unsolvable))
    return SeatReplay(seat.player, stretches, seat.undecided, seat.board, placing)


def _race_placing(result: race.RaceResult) -> RacePlacing:
    return RacePlacing(
        _CPU_LEVELS.get(result.cpu),
        result.place,
        _FINISHES[result.finish],
        result.elapsed_ms if result.HasField("elapsed_ms") else None,
        result.progress_percent,
        result.cpu_played,
        result.rating_before if result.HasField("rating_before") else None,
        result.rating if result.HasField("rating") else None,
    )


def _pool_placing(result: pool.PoolSeatResult) -> PoolPlacing:
    return PoolPlacing(
        result.place, result.score, _POOL_ENDS[result.ending], result.pairs_left, result.payout
    )


def _unsolvable_of(told: wire.Unsolvable) -> Unsolvable:
    ended_by = told.ended_by_pair if told.HasField("ended_by_pair") else None
    return Unsolvable(told.after_pairs, ended_by, told.exact)


def _step_of(told: wire.Step) -> Step:
    return Step(
        told.player,
        told.at_ms,
        _WHATS[told.WhichOneof("what") or "out"](told),
        told.round_score,
        told.tiles_left,
        told.seat,
        told.by_cpu,
        told.progress_percent,
    )


def _taken(told: wire.Step) -> TakenPair:
    taken = told.pair
    return TakenPair(
        _tiles(taken.pair),
        (taken.faces[0], taken.faces[1]),
        _KINDS.get(taken.kind),
        taken.worth,
        taken.took_ms,
        taken.record_before_ms if taken.HasField("record_before_ms") else None,
        taken.record_after_ms if taken.HasField("record_after_ms") else None,
        taken.undecided,
        taken.value,
        taken.pairs_on_board,
    )


def _blocked(tile: int, why: match.Blockers, cost: int) -> BlockedTouch:
    return BlockedTouch(tile, tuple(why.covered_by), tuple(why.left), tuple(why.right), cost)


def _touched(told: wire.Step) -> BlockedTouch | FreeTouch:
    touch = told.touch
    if touch.HasField("blockers"):
        return _blocked(touch.tile, touch.blockers, 0)
    return FreeTouch(touch.tile, touch.not_same)


def _shuffled(told: wire.Step) -> Shuffled:
    shuffle = told.shuffle
    left = shuffle.left if shuffle.HasField("left") else None
    return Shuffled(_faces(shuffle.faces), shuffle.moved, shuffle.impossible, shuffle.charge, left)


def _lit(told: wire.Step) -> LitPair:
    hint = told.hint
    left = hint.left if hint.HasField("left") else None
    return LitPair(_tiles(hint.pair), (hint.faces[0], hint.faces[1]), hint.charge, left)


def _undone(told: wire.Step) -> UndonePair:
    undo = told.undo
    return UndonePair(_tiles(undo.pair), _faces(undo.faces), undo.charge, undo.worth, undo.left)


_WHATS: Final[Mapping[str, Callable[[wire.Step], What]]] = {
    "pair": _taken,
    "miss": lambda told: _blocked(told.miss.tile, told.miss.blockers, told.miss.cost),
    "out": lambda told: _OUTS[told.out],
    "touch": _touched,
    "shuffle": _shuffled,
    "hint": _lit,
    "undo": _undone,
    "news": lambda told: _NEWS[told.news],
    "ended": lambda told: _POOL_ENDS[told.ended],
}


def _tiles(pair: solitaire.TilePair) -> tuple[int, int]:
    return pair.first, pair.second


def _faces(shown: Iterable[match.VisibleFace]) -> dict[int, str]:
    return {each.tile: each.face for each in shown}
