"""The pool: training, and matches of two to four for a pot of chips."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import grpc

from libs.client.board_view import BoardView, Place
from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, bearer_metadata
from libs.client.errors import LimitError, RefusedError, SignInError, UnreachableError, error_of
from libs.client.link import Link
from libs.client.rematches import offered_until
from libs.pb.sparrow.match.v1 import pool_pb2 as wire
from libs.pb.sparrow.match.v1 import pool_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.pool_service_pb2_grpc import PoolServiceAsyncStub

SILENCE_S: Final = 40.0
"""A stream sends a heartbeat every 15 s."""
_STALE_TOKEN: Final = frozenset({"RESUME_EXPIRED", "RESUME_TOKEN_INVALID"})


class PoolState(StrEnum):
    """Where a game stands."""

    STAKING = "staking"
    COUNTDOWN = "countdown"
    RUNNING = "running"
    OVER = "over"


class PoolEnd(StrEnum):
    """How the game of a seat ended."""

    CLEARED = "cleared"
    BLOCKED = "blocked"
    TIME = "time"
    ENDED = "ended"
    LEFT = "left"
    NOT_PLAYED = "not_played"
    """The stake was not paid, or too few stakes were."""


class PoolOutcome(StrEnum):
    """What a command came to."""

    PAIRED = "paired"
    UNDONE = "undone"
    SHUFFLED = "shuffled"
    SHUFFLE_IMPOSSIBLE = "shuffle_impossible"
    HINTED = "hinted"


@dataclass(frozen=True, slots=True)
class PoolSeat:
    """What everybody sees of a seat; `end` is none while its own game goes on."""

    player: str
    score: int
    pairs_left: int
    end: PoolEnd | None
    stake_paid: bool


@dataclass(frozen=True, slots=True)
class PoolUses:
    """Help that was used, each at most five times, and what the next one costs."""

    undos: int
    shuffles: int
    hints: int
    next_charge: int


@dataclass(frozen=True, slots=True)
class PoolSeatResult:
    """How a seat ended; `payout` in chips, `place` 0 for a seat that did not play."""

    player: str
    place: int
    score: int
    end: PoolEnd
    payout: int


@dataclass(frozen=True, slots=True)
class PoolResult:
    """How a game ended; a void one returned the stakes."""

    is_void: bool
    seats: tuple[PoolSeatResult, ...]
    rematch_until: datetime | None = None
    """Until when a match that was played offers a rematch for the same stake."""


@dataclass(frozen=True, slots=True)
class PoolMove:
    """What a command came to: the pair it was about, what it brought and what it cost."""

    outcome: PoolOutcome | None
    pair: tuple[int, int] | None
    worth: int
    charge: int


class PoolGame:
    """A game that this player sits in, kept in step by what is ordered and by `follow`."""

    def __init__(self, link: Link, stub: PoolServiceAsyncStub, told: wire.PoolGame) -> None:
        """Begin with what the server told."""
        self._link = link
        self._stub = stub
        self._resume_token = ""
        self._take(told)

    def _take(self, told: wire.PoolGame) -> None:
        self.name = told.name
        self.training = told.training
        self.commitment = told.commitment.hex()
        self.stake = told.stake
        self.pot = told.pot
        self.limit_ms = told.limit_ms
        self.elapsed_ms = told.elapsed_ms
        self.state = _STATES[told.state]
        self.own = _seat(told.own_seat)
        self.opponents = tuple(map(_seat, told.opponents))
        self.uses = _uses(told.uses)
        self.result = _result(told.result) if told.HasField("result") else None
        self._layout = told.layout.name
        self._places = tuple(Place(tile.x, tile.y, tile.z) for tile in told.layout.tiles)
        self.board = self._board(told.board)

    def _board(self, told: wire.PoolBoard) -> BoardView:
        return BoardView(
            layout=self._layout,
            places=self._places,
            present=frozenset(told.present),
            faces={visible.tile: visible.face for visible in told.faces},
            lifted=None,
            free=frozenset(told.free_tiles),
            pair_available=told.pair_available,
            version=told.board_version,
        )

    @property
    def is_playing(self) -> bool:
        """Whether this player can still do anything, now or after the signal."""
        return self.state is not PoolState.OVER and self.own.end is None

    async def remove(self, first: int, second: int) -> PoolMove:
        """Take two free tiles that match. Raises RefusedError TILE_BLOCKED, NOT_A_PAIR, TILE_GONE."""
        request = calls.RemovePoolPairRequest(
            name=self.name,
            first=first,
            second=second,
            expected_board_version=self.board.version,
            request_id=str(uuid4()),
        )
        answer = await self._link.calls.unary(self._stub.RemovePoolPair, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def undo(self) -> PoolMove:
        """Take the last pair back. Raises RefusedError NOTHING_TO_UNDO, UNDOS_USED_UP."""
        request = calls.UndoPoolPairRequest(
            name=self.name, expected_board_version=self.board.version, request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.UndoPoolPair, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def shuffle(self) -> PoolMove:
        """Lay the faces anew, or hear that it is impossible. Raises RefusedError SHUFFLES_USED_UP."""
        request = calls.ShufflePoolRequest(
            name=self.name, expected_board_version=self.board.version, request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.ShufflePool, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def hint(self) -> PoolMove:
        """Hear the best available pair. Raises RefusedError NO_PAIR_AVAILABLE, HINTS_USED_UP."""
        request = calls.GetPoolHintRequest(
            name=self.name, expected_board_version=self.board.version, request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.GetPoolHint, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def end(self) -> PoolMove:
        """End the own game and keep the score. Raises RefusedError SHUFFLE_LEFT."""
        request = calls.EndPoolGameRequest(name=self.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.EndPoolGame, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def leave(self) -> PoolMove:
        """Leave a match and keep the score."""
        request = calls.LeavePoolGameRequest(name=self.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.LeavePoolGame, request, MOVE_DEADLINE_S)
        return self._apply(answer.update)

    async def restart(self, *, new_deal: bool = False) -> PoolGame:
        """Begin training anew, on the same deal or another one."""
        request = calls.RestartPoolTrainingRequest(name=self.name, new_deal=new_deal, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.RestartPoolTraining, request, LIST_DEADLINE_S)
        return PoolGame(self._link, self._stub, answer.game)

    async def refresh(self) -> None:
        """Ask how the game stands."""
        request = calls.GetPoolGameRequest(name=self.name)
        answer = await self._link.calls.unary(self._stub.GetPoolGame, request, LIST_DEADLINE_S)
        self._take(answer.game)

    async def follow(self) -> AsyncGenerator[PoolState, None]:
        """Keep the game in step; yield after every change, until it is over.

        Streams that break are opened again where they were left. Raises UnreachableError once none could be
        opened for as long as retries go on, and RefusedError SEAT_TAKEN_OVER where another device plays.
        """
        failing_since: float | None = None
        while True:
            gone: UnreachableError | LimitError = UnreachableError(
                "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the game"
            )
            try:
                async with aclosing(self._one_stream()) as stream:
                    async for state in stream:
                        failing_since = None
                        yield state
                if self.state is PoolState.OVER:
                    return
            except (UnreachableError, LimitError) as error:
                gone = error
            now = asyncio.get_running_loop().time()
            failing_since = now if failing_since is None else failing_since
            if now - failing_since > self._link.retries.for_s:
                raise gone
            pause_s = min(0.05 + (now - failing_since) / 2, 1.0)
            await asyncio.sleep(max(pause_s, (gone.retry_after_ms or 0) / 1000))

    async def _one_stream(self) -> AsyncGenerator[PoolState, None]:
        token = await self._link.session.token()
        request = calls.WatchPoolGameRequest(name=self.name, resume_token=self._resume_token)
        call = self._stub.WatchPoolGame(request, metadata=bearer_metadata(token, self._link.session.language))
        try:
            while (message := await _read(call)) is not None:
                self._resume_token = message.resume_token or self._resume_token
                match message.WhichOneof("kind"):
                    case "snapshot" if message.snapshot.board.board_version >= self.board.version:
                        self._take(message.snapshot)
                    case "update":
                        self._apply(message.update)
                    case "end":
                        _check_end(message.end.reason, message.end.text)
                        return
                    case _:
                        continue
                yield self.state
        except SignInError:
            await self._link.session.renew(token)
        except RefusedError as refused:
            if refused.reason not in _STALE_TOKEN or not self._resume_token:
                raise
            self._resume_token = ""  # too old to go on from: a snapshot tells where the game stands
        finally:
            call.cancel()

    def _apply(self, told: wire.PoolUpdate) -> PoolMove:
        """Take an update, unless it is older than what is known of the own board."""
        is_old = told.HasField("board") and told.board.board_version < self.board.version
        if not is_old:
            if told.HasField("board"):
                self.board = self._board(told.board)
            self.own, self.uses = _seat(told.own_seat), _uses(told.uses)
        if self.state is not PoolState.OVER:
            self.state, self.pot = _STATES[told.state], told.pot
            self.opponents = tuple(map(_seat, told.opponents))
        if told.HasField("result"):
            self.result = _result(told.result)
        pair = (told.pair.first, told.pair.second) if told.HasField("pair") else None
        return PoolMove(_OUTCOMES.get(told.outcome), pair, told.worth, told.charge)


class Pools:
    """The way into games of the pool; matches come from `SparrowClient.queue(QueueKind.POOL)`."""

    def __init__(self, link: Link, stub: PoolServiceAsyncStub) -> None:
        """Ask through the link."""
        self._link = link
        self._stub = stub

    async def train(self, limit_minutes: int = 0) -> PoolGame:
        """Begin a game for one player; 0 minutes mean 10."""
        request = calls.StartPoolTrainingRequest(limit_minutes=limit_minutes, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.StartPoolTraining, request, LIST_DEADLINE_S)
        return PoolGame(self._link, self._stub, answer.game)

    async def game(self, name: str) -> PoolGame:
        """Return a game of this player, "matches/<uuid>"."""
        request = calls.GetPoolGameRequest(name=name)
        answer = await self._link.calls.unary(self._stub.GetPoolGame, request, LIST_DEADLINE_S)
        return PoolGame(self._link, self._stub, answer.game)


def _check_end(reason: str, text: str) -> None:
    """Raise where another device follows the game now."""
    if reason == "SEAT_TAKEN_OVER":
        message = "another device plays this game now"
        raise RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, message, localized=text)


async def _read(
    call: grpc.aio.UnaryStreamCall[calls.WatchPoolGameRequest, calls.WatchPoolGameResponse],
) -> calls.WatchPoolGameResponse | None:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        response = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return response if isinstance(response, calls.WatchPoolGameResponse) else None


def _seat(told: wire.PoolSeat) -> PoolSeat:
    return PoolSeat(told.player, told.score, told.pairs_left, _ENDS.get(told.ending), told.stake_paid)


def _uses(told: wire.PoolUses) -> PoolUses:
    return PoolUses(told.undos, told.shuffles, told.hints, told.next_charge)


def _result(told: wire.PoolResult) -> PoolResult:
    return PoolResult(
        told.ending in {wire.POOL_ENDING_VOID_STAKES, wire.POOL_ENDING_VOID_MOVES},
        tuple(
            PoolSeatResult(seat.player, seat.place, seat.score, _ENDS[seat.ending], seat.payout)
            for seat in told.seats
        ),
        offered_until(told),
    )


_STATES: Final[Mapping[int, PoolState]] = {
    wire.POOL_STATE_STAKING: PoolState.STAKING,
    wire.POOL_STATE_COUNTDOWN: PoolState.COUNTDOWN,
    wire.POOL_STATE_RUNNING: PoolState.RUNNING,
    wire.POOL_STATE_OVER: PoolState.OVER,
}
_ENDS: Final[Mapping[int, PoolEnd]] = {
    wire.POOL_SEAT_ENDING_CLEARED: PoolEnd.CLEARED,
    wire.POOL_SEAT_ENDING_BLOCKED: PoolEnd.BLOCKED,
    wire.POOL_SEAT_ENDING_TIME: PoolEnd.TIME,
    wire.POOL_SEAT_ENDING_ENDED: PoolEnd.ENDED,
    wire.POOL_SEAT_ENDING_LEFT: PoolEnd.LEFT,
    wire.POOL_SEAT_ENDING_NOT_PLAYED: PoolEnd.NOT_PLAYED,
}
_OUTCOMES: Final[Mapping[int, PoolOutcome]] = {
    wire.POOL_OUTCOME_PAIRED: PoolOutcome.PAIRED,
    wire.POOL_OUTCOME_UNDONE: PoolOutcome.UNDONE,
    wire.POOL_OUTCOME_SHUFFLED: PoolOutcome.SHUFFLED,
    wire.POOL_OUTCOME_SHUFFLE_IMPOSSIBLE: PoolOutcome.SHUFFLE_IMPOSSIBLE,
    wire.POOL_OUTCOME_HINTED: PoolOutcome.HINTED,
}
