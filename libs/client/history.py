"""Finished games, told again: what each seat did, when, and why it was worth what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from libs.client.calls import LIST_DEADLINE_S
from libs.client.link import Link
from libs.client.rounds import Mode, Out, PairKind
from libs.pb.sparrow.match.v1 import history_pb2 as wire
from libs.pb.sparrow.match.v1 import history_service_pb2 as calls
from libs.pb.sparrow.match.v1 import match_pb2 as match

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceAsyncStub

PAGE_SIZE: Final = 500
_MODES: Final[Mapping[int, Mode]] = {
    match.MODE_SINGLE_PLAYER: Mode.SINGLE,
    match.MODE_QUICK_MATCH: Mode.QUICK,
    match.MODE_ARENA: Mode.ARENA,
}
_KINDS: Final[Mapping[int, PairKind]] = {
    match.PAIR_KIND_PLAIN: PairKind.PLAIN,
    match.PAIR_KIND_PACE: PairKind.PACE,
    match.PAIR_KIND_CRUCIAL: PairKind.CRUCIAL,
    match.PAIR_KIND_JOKER: PairKind.JOKER,
}
_OUTS: Final[Mapping[int, Out]] = {match.OUT_REASON_IDLE: Out.IDLE, match.OUT_REASON_LEFT: Out.LEFT}


@dataclass(frozen=True, slots=True)
class TakenPair:
    """A pair that left the board. In single player nothing is worth anything, and there are no records."""

    tiles: tuple[int, int]
    faces: tuple[str, str]
    kind: PairKind
    worth: int
    took_ms: int
    record_before_ms: int | None
    record_after_ms: int | None
    undecided: bool


@dataclass(frozen=True, slots=True)
class BlockedTouch:
    """A blocked tile was touched, which cost so much."""

    tile: int
    covered_by: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a player did, so long after the signal; then the score and the tiles left."""

    player: str
    at_ms: int
    what: TakenPair | BlockedTouch | Out
    round_score: int
    tiles_left: int


@dataclass(frozen=True, slots=True)
class Unsolvable:
    """A stretch of play on a board that could not be cleared without a joker.

    It begins after so many of the player's pairs, or earlier where that is not `exact`, and lasts to the
    joker that was the player's pair of that number, or to the end.
    """

    after_pairs: int
    ended_by_pair: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class SeatReplay:
    """What is told of a seat beside its steps; `undecided`: of some stretch nothing could be told."""

    player: str
    unsolvable: tuple[Unsolvable, ...]
    undecided: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """One round of a finished match, or a finished attempt. `faces` are those that may be known."""

    name: str
    mode: Mode
    round_number: int
    round_count: int
    layout: str
    faces: Mapping[int, str]
    seats: tuple[SeatReplay, ...]
    steps: tuple[Step, ...]


class History:
    """The finished games of the player that is signed in."""

    def __init__(self, link: Link, stub: HistoryServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def replay(self, name: str, round_number: int = 1) -> Replay:
        """Tell a round of a finished match of this player, "matches/<uuid>", to its end.

        Raises RefusedError MATCH_RUNNING before the end of the match.
        """
        told: Replay | None = None
        token = ""
        while True:
            request = calls.GetMatchReplayRequest(
                name=name, round_number=round_number, page_size=PAGE_SIZE, page_token=token
            )
            answer = await self._link.calls.unary(self._stub.GetMatchReplay, request, LIST_DEADLINE_S)
            page = _replay_of(answer.replay)
            told = page if told is None else replace(told, steps=(*told.steps, *page.steps))
            if not (token := answer.next_page_token):
                return told


def _replay_of(message: wire.MatchReplay) -> Replay:
    return Replay(
        message.name,
        _MODES[message.mode],
        message.round_number,
        message.round_count,
        message.layout.name,
        {shown.tile: shown.face for shown in message.faces},
        tuple(
            SeatReplay(seat.player, tuple(map(_unsolvable_of, seat.unsolvable)), seat.undecided)
            for seat in message.seats
        ),
        tuple(map(_step_of, message.steps)),
    )


def _unsolvable_of(told: wire.Unsolvable) -> Unsolvable:
    ended_by = told.ended_by_pair if told.HasField("ended_by_pair") else None
    return Unsolvable(told.after_pairs, ended_by, told.exact)


def _step_of(told: wire.Step) -> Step:
    return Step(told.player, told.at_ms, _what_of(told), told.round_score, told.tiles_left)


def _what_of(told: wire.Step) -> TakenPair | BlockedTouch | Out:
    if told.HasField("pair"):
        taken = told.pair
        return TakenPair(
            (taken.pair.first, taken.pair.second),
            (taken.faces[0], taken.faces[1]),
            _KINDS[taken.kind],
            taken.worth,
            taken.took_ms,
            taken.record_before_ms if taken.HasField("record_before_ms") else None,
            taken.record_after_ms if taken.HasField("record_after_ms") else None,
            taken.undecided,
        )
    if told.HasField("miss"):
        why = told.miss.blockers
        return BlockedTouch(
            told.miss.tile, tuple(why.covered_by), tuple(why.left), tuple(why.right), told.miss.cost
        )
    return _OUTS[told.out]
