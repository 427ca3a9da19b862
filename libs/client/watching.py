"""Following a game: one stream after another, joined so that nothing is missed and nothing is seen twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import grpc

from libs.client.board_view import BoardView
from libs.client.calls import bearer_metadata
from libs.client.errors import LimitError, RefusedError, SignInError, UnreachableError, error_of
from libs.client.link import Link
from libs.client.results import GameState, Update
from libs.client.rounds import NO_SEATS, Seats, seats_of
from libs.client.wire import board_of, state_of, update_of
from libs.pb.sparrow.match.v1 import match_service_pb2 as wire

SILENCE_S = 40.0
"""A stream sends a heartbeat every 15 s: one that is silent for longer is dead, whatever TCP believes."""
_STALE_TOKEN = frozenset({"RESUME_EXPIRED", "RESUME_TOKEN_INVALID"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The game as it stands: the first message, and again where the server could not resume.

    In a match of several rounds it comes again when the next one is dealt, face down.
    """

    board: BoardView
    state: GameState
    seats: Seats = NO_SEATS


@dataclass(frozen=True, slots=True)
class _MatchEnded:
    """The stream said that the match is over."""


class Watching:
    """The joined stream of one match. Iterate `messages` once."""

    def __init__(self, link: Link, name: str) -> None:
        """Name the match; nothing is opened yet."""
        self._link = link
        self._name = name
        self._resume_token = ""
        self._version = -1
        self._state = GameState.RUNNING
        self._failing_since: float | None = None
        self.reconnects = 0
        """How often the stream was opened again."""

    async def messages(self) -> AsyncGenerator[Snapshot | Update, None]:
        """Yield a snapshot, then every update once, until the match has ended.

        Raises UnreachableError once no stream could be opened for as long as retries go on, and RefusedError
        where the server refuses, or where another device watches now (SEAT_TAKEN_OVER).
        """
        while True:
            try:
                async with aclosing(self._one_stream()) as stream:
                    async for message in stream:
                        if isinstance(message, _MatchEnded):
                            return
                        yield message
                gone: UnreachableError | LimitError = UnreachableError(
                    "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the match"
                )
            except (UnreachableError, LimitError) as error:
                gone = error
            await self._pause(gone)

    async def _pause(self, gone: UnreachableError | LimitError) -> None:
        """Wait before the next stream, or raise where the patience has run out."""
        now = asyncio.get_running_loop().time()
        self._failing_since = now if self._failing_since is None else self._failing_since
        failing_s = now - self._failing_since
        if failing_s > self._link.retries.for_s:
            raise gone
        self.reconnects += 1
        await asyncio.sleep(max(min(0.05 + failing_s / 2, 1.0), (gone.retry_after_ms or 0) / 1000))

    async def _one_stream(self) -> AsyncGenerator[Snapshot | Update | _MatchEnded, None]:
        """Yield what one stream brings that was not told before."""
        token = await self._link.session.token()
        request = wire.WatchRequest(name=self._name, resume_token=self._resume_token)
        call = self._link.match.Watch(request, metadata=bearer_metadata(token, self._link.session.language))
        try:
            while (response := await _read(call)) is not None:
                self._failing_since = None
                self._resume_token = response.resume_token or self._resume_token
                if response.WhichOneof("payload") == "end":
                    if _ends_all(response.end.reason, response.end.text):
                        yield _MatchEnded()
                    return
                message = self._new(response)
                if message is not None:
                    yield message
        except SignInError:
            await self._link.session.renew(token)
        except RefusedError as refused:
            if refused.reason not in _STALE_TOKEN or not self._resume_token:
                raise
            self._resume_token = ""  # too old to go on from: a snapshot tells where the game stands
        finally:
            call.cancel()

    def _new(self, response: wire.WatchResponse) -> Snapshot | Update | None:
        """Return what the message tells that was not told before; a heartbeat tells nothing."""
        match response.WhichOneof("payload"):
            case "snapshot":
                told = response.snapshot
                snapshot = Snapshot(board_of(told.board), state_of(told.state), seats_of(told))
                self._version, self._state = snapshot.board.version, snapshot.state
                return snapshot
            case "update":
                update = update_of(response.update)
                is_old = update.board_version <= self._version and update.state is self._state
                if is_old and not update.opponents:  # those move while this seat's own board stands
                    return None
                self._version, self._state = max(update.board_version, self._version), update.state
                return update
            case _:
                return None


def _ends_all(reason: str, text: str) -> bool:
    """Whether the match has ended: else a new stream goes on. Raises where another device watches now."""
    if reason == "SEAT_TAKEN_OVER":
        message = "another device plays this match now"
        raise RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, message, localized=text)
    return reason == "MATCH_ENDED"


async def _read(
    call: grpc.aio.UnaryStreamCall[wire.WatchRequest, wire.WatchResponse],
) -> wire.WatchResponse | None:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        response = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return response if isinstance(response, wire.WatchResponse) else None
