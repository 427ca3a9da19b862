"""A player for load: bare stubs and a board that is changed in place.

`SparrowClient` retries and makes a new board of values for every update. A load shares its machine with the
server it measures, so what its clients cost is missing there: this player sends one call per command, keeps
the few facts that the next choice needs, and leaves every failure to whoever drives it. Its tokens are those
of the library's session, renewed before they expire, so a load may last as long as it likes.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

import grpc
from google.protobuf.message import Message

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, Method, Retries, bearer_metadata
from libs.client.channel import open_channel
from libs.client.devices import KEY_BYTES
from libs.client.errors import SignInError, SparrowError, error_of
from libs.client.session import Now, Session, utc_now
from libs.client.tickets import QUEUE_TO_WIRE, QueueKind
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.match.v1 import match_pb2 as match
from libs.pb.sparrow.match.v1 import match_service_pb2 as wire
from libs.pb.sparrow.match.v1 import ticket_pb2 as ticket_wire
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as lobby_wire
from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import LobbyServiceStub

if TYPE_CHECKING:
    from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceAsyncStub
    from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceAsyncStub
    from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import LobbyServiceAsyncStub

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)

PLAYERS_PER_CONNECTION: Final = 25
_SIGN_IN_RETRIES: Final = Retries(for_s=4 * LIST_DEADLINE_S)
"""Many sign in at once, and a load that has begun is worth some patience when tokens are renewed."""
_RUNNING: Final = match.MATCH_STATE_RUNNING
_WAITING: Final = frozenset({match.MATCH_STATE_COUNTDOWN, match.MATCH_STATE_BREAK})
"""Nothing can be touched yet."""


class LeanBoard:
    """What a seat sees of its board, changed in place by every answer."""

    def __init__(self, told: match.Match) -> None:
        """Begin with what the server told."""
        self.name: str = told.name
        self.faces: dict[int, str] = {}
        self.free: Sequence[int] = ()
        self.lifted: int | None = None
        self.pair_available = True
        self.version = -1
        self.state = told.state
        self.is_out = False
        self.take_match(told)

    @property
    def is_running(self) -> bool:
        """Whether the seat may touch tiles."""
        return self.state == _RUNNING and not self.is_out

    @property
    def state_is_running(self) -> bool:
        """Whether a round is played, be it without this seat."""
        return bool(self.state == _RUNNING)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen."""
        return self.state != _RUNNING and self.state not in _WAITING

    def take_match(self, told: match.Match) -> None:
        """Bring it up to a whole match."""
        board = told.board
        if board.board_version < self.version:
            return
        self.state, self.version = told.state, board.board_version
        self.faces = {seen.tile: seen.face for seen in board.faces}
        self.lifted = board.lifted if board.HasField("lifted") else None
        self.free, self.pair_available = board.free_tiles, board.pair_available
        self.is_out = bool(told.own_round.out)

    def take_update(self, told: match.MatchUpdate) -> None:
        """Bring it up to an update; one that is older than the board tells only whether the match goes on."""
        if not self.is_over:
            self.state = told.state
        if told.own_round.out:
            self.is_out = True
        if told.board_version < self.version or told.state in _WAITING:
            return
        self.version = told.board_version
        for seen in told.uncovered:
            self.faces[seen.tile] = seen.face
        if told.HasField("pair"):
            self.faces.pop(told.pair.first, None)
            self.faces.pop(told.pair.second, None)
        self.lifted = told.lifted if told.HasField("lifted") else None
        self.free, self.pair_available = told.free_tiles, told.pair_available


class LeanConnection:
    """One connection and the stubs on it, shared by some players."""

    def __init__(self, target: str) -> None:
        """Name `host:port`; the first call dials."""
        self._channel = open_channel(target, own_connection=True)
        self.account: AccountServiceAsyncStub = AccountServiceStub(self._channel)
        self.match: MatchServiceAsyncStub = MatchServiceStub(self._channel)
        self.lobby: LobbyServiceAsyncStub = LobbyServiceStub(self._channel)

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()


class LeanPlayer:
    """One player. Every command is sent once; whatever goes wrong is raised as a SparrowError."""

    def __init__(self, connection: LeanConnection, now: Now = utc_now) -> None:
        """Play over a connection, as a player that nobody was before; nothing is called."""
        self._stub = connection.match
        self._lobby = connection.lobby
        self._session = Session(connection.account, secrets.token_bytes(KEY_BYTES), _SIGN_IN_RETRIES, now)
        self.board: LeanBoard | None = None

    async def sign_in(self) -> None:
        """Become a new player."""
        await self._session.sign_in()

    async def start_level(self, level: int) -> None:
        """Start an attempt at a level."""
        request = wire.StartLevelRequest(level=level, request_id=str(uuid4()))
        answer = await self._send(self._stub.StartLevel, request, MOVE_DEADLINE_S)
        self.board = LeanBoard(answer.match)

    async def restart(self) -> None:
        """Give the attempt up for another on the same deal."""
        request = wire.RestartLevelRequest(name=self._board.name, request_id=str(uuid4()))
        answer = await self._send(self._stub.RestartLevel, request, MOVE_DEADLINE_S)
        self.board = LeanBoard(answer.match)

    async def touch(self, tile: int) -> None:
        """Touch a tile."""
        board = self._board
        request = wire.TouchRequest(
            name=board.name, tile=tile, expected_board_version=board.version, request_id=str(uuid4())
        )
        answer = await self._send(self._stub.Touch, request, MOVE_DEADLINE_S)
        board.take_update(answer.update)

    async def leave(self) -> None:
        """End this player's part."""
        board = self._board
        request = wire.LeaveMatchRequest(name=board.name, request_id=str(uuid4()))
        answer = await self._send(self._stub.LeaveMatch, request, MOVE_DEADLINE_S)
        board.take_update(answer.update)

    async def refresh(self) -> None:
        """Ask how the match stands."""
        board = self._board
        request = wire.GetMatchRequest(name=board.name)
        answer = await self._send(self._stub.GetMatch, request, LIST_DEADLINE_S)
        board.version = -1
        board.take_match(answer.match)

    async def queue(self, kind: QueueKind = QueueKind.QUICK) -> str:
        """Wait for a match; return its name, or that of the one which is still played."""
        self.board = None
        request = ticket_wire.CreateTicketRequest(queue=QUEUE_TO_WIRE[kind], request_id=str(uuid4()))
        try:
            made = await self._send(self._stub.CreateTicket, request, MOVE_DEADLINE_S)
            waiting = ticket_wire.WatchTicketRequest(name=made.ticket.name)
            async for message in self._stub.WatchTicket(waiting, metadata=await self._metadata()):
                if message.ticket.match:
                    return message.ticket.match
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None
        except SparrowError as error:
            if error.reason != "ALREADY_SEATED":
                raise
            return error.metadata["match"]
        raise _nobody_came()

    async def queue_table(self) -> str:
        """Wait for an MCR table; return its name."""
        request = lobby_wire.CreateTicketRequest(request_id=str(uuid4()))
        made = await self._send(self._lobby.CreateTicket, request, MOVE_DEADLINE_S)
        waiting = lobby_wire.WatchTicketRequest(name=made.ticket.name)
        try:
            async for message in self._lobby.WatchTicket(waiting, metadata=await self._metadata()):
                if message.ticket.table:
                    return message.ticket.table
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None
        raise _nobody_came()

    async def watch(self, name: str, began: asyncio.Event) -> None:
        """Follow a match until it is over, the board kept in step.

        `began` is set while a round is played, and when nothing more comes.
        """
        call = self._stub.Watch(wire.WatchRequest(name=name), metadata=await self._metadata())
        try:
            async for message in call:
                if message.HasField("snapshot"):
                    self.board = LeanBoard(message.snapshot)
                elif message.HasField("update"):
                    self._board.take_update(message.update)
                if self.board is not None:
                    (began.clear if self.board.state in _WAITING else began.set)()
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None
        finally:
            began.set()
            call.cancel()

    async def _send(self, method: Method[Q, A], request: Q, deadline_s: float) -> A:
        """Send a command once; a token that the server refuses is renewed for the next."""
        token = await self._session.token()
        try:
            return await method(request, timeout=deadline_s, metadata=bearer_metadata(token))
        except grpc.aio.AioRpcError as failure:
            error = error_of(failure)
        if isinstance(error, SignInError):
            await self._session.renew(token)
        raise error

    async def _metadata(self) -> tuple[tuple[str, str], ...]:
        """Return what a stream carries: a token that is good for another minute."""
        return bearer_metadata(await self._session.token())

    @property
    def _board(self) -> LeanBoard:
        assert self.board is not None, "a match was begun"
        return self.board


def _nobody_came() -> SparrowError:
    return SparrowError("NO_OPPONENT", grpc.StatusCode.FAILED_PRECONDITION, "the ticket waits no more")
