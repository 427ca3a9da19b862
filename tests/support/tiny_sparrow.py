"""A Sparrow of one process and no storage, behind real gRPC: real boards, and faults on demand.

For tests of the client's manners: what it does when replies get lost, tokens expire and streams break. The
rules are those of `libs.rules`; only the methods that these tests call are served.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from libs.pb.sparrow.account.v1 import account_pb2, account_service_pb2
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import (
    AccountServiceServicer,
    add_AccountServiceServicer_to_server,
)
from libs.pb.sparrow.ledger.v1 import ledger_pb2, ledger_service_pb2
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import (
    LedgerServiceServicer,
    add_LedgerServiceServicer_to_server,
)
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import add_MatchServiceServicer_to_server
from libs.runtime.errors import STATUS_OF_REASON
from tests.support.tiny_match import TinyMatchService
from tests.support.tiny_queue import TinyQueue

A = TypeVar("A", bound=Message)
Context = grpc.aio.ServicerContext[Any, Any]


@dataclass
class Faults:
    """What goes wrong next; every fault happens once per entry."""

    refuse: list[str] = field(default_factory=list)
    """Reasons with which the next calls are refused, before anything happened."""
    lose_replies: int = 0
    """So many writes happen and then answer UNAVAILABLE."""
    break_streams_after: list[int] = field(default_factory=list)
    """The next streams break after so many messages."""
    retry_after_ms: int | None = None
    """RetryInfo of the refusals."""


@dataclass
class TinySparrow:
    """All the state there is."""

    faults: Faults = field(default_factory=Faults)
    access_lifetime: timedelta = timedelta(minutes=15)
    players: dict[bytes, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    refresh_tokens: dict[str, str] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    seen: list[tuple[str, Message]] = field(default_factory=list)
    replies: dict[tuple[str, str], Message] = field(default_factory=dict)
    queue: TinyQueue = field(init=False)

    async def refuse(self, context: Context, reason: str) -> None:
        """Abort with the reason's status and its ErrorInfo, as the real interceptor does."""
        info = error_details_pb2.ErrorInfo(reason=reason, domain="sparrow", metadata={"seen": "here"})
        details = [info]
        if self.faults.retry_after_ms is not None:
            pause = Duration()
            pause.FromMilliseconds(self.faults.retry_after_ms)
            details.append(error_details_pb2.RetryInfo(retry_delay=pause))
        packed = [AnyMessage() for _ in details]
        for place, detail in zip(packed, details, strict=True):
            place.Pack(detail)
        code = STATUS_OF_REASON[reason]
        status = status_pb2.Status(code=code.value[0], message=f"refused: {reason}", details=packed)
        await context.abort_with_status(rpc_status.to_status(status))

    async def player(self, context: Context) -> str:
        """Return who calls; refuse a token that is not known any more."""
        metadata = dict(context.invocation_metadata() or ())
        token = str(metadata.get("authorization", "")).removeprefix("Bearer ")
        if token not in self.tokens:
            await self.refuse(context, "TOKEN_EXPIRED")
        return self.tokens[token]

    async def once(self, request: Any, context: Context, who: str, act: Callable[[], Awaitable[A]]) -> A:
        """Do a write once per request id; with faults armed, refuse first or lose the reply afterwards."""
        self.seen.append((type(request).__name__, request))
        if self.faults.refuse:
            await self.refuse(context, self.faults.refuse.pop(0))
        key = (who, request.request_id)
        if key not in self.replies:
            self.replies[key] = await act()
        if self.faults.lose_replies:
            self.faults.lose_replies -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")
        return self.replies[key]  # type: ignore[return-value]

    def requests(self, name: str) -> list[Any]:
        """Return the requests of one type that arrived, repeats included."""
        return [request for seen, request in self.seen if seen == name]

    def new_session(self, player: str) -> account_pb2.Session:
        """Issue a pair of tokens."""
        session = account_pb2.Session(name=f"{player}/sessions/{uuid4()}")
        session.access_token, session.refresh_token = f"access-{uuid4()}", f"refresh-{uuid4()}"
        self.tokens[session.access_token] = player
        self.refresh_tokens[session.refresh_token] = player
        session.access_expire_time.FromDatetime(datetime.now(UTC) + self.access_lifetime)
        return session


POINTS_BOARDS = (ledger_pb2.BOARD_AMR, ledger_pb2.BOARD_WEEKLY, ledger_pb2.BOARD_DAILY)


class _Account(AccountServiceServicer):
    def __init__(self, tiny: TinySparrow) -> None:
        self._tiny = tiny

    async def SignIn(self, request: Any, context: Context) -> Any:  # noqa: N802 the contract names it
        async def act() -> account_service_pb2.SignInResponse:
            created = request.device_key not in self._tiny.players
            player = self._tiny.players.setdefault(request.device_key, f"players/{uuid4()}")
            profile = account_pb2.Profile(name=player, display_name=self._tiny.names.get(player, "Newcomer"))
            return account_service_pb2.SignInResponse(
                session=self._tiny.new_session(player), profile=profile, created=created
            )

        return await self._tiny.once(request, context, "", act)

    async def RefreshSession(self, request: Any, context: Context) -> Any:  # noqa: N802
        async def act() -> account_service_pb2.RefreshSessionResponse:
            player = self._tiny.refresh_tokens.pop(request.refresh_token, None)
            if player is None:
                await self._tiny.refuse(context, "REFRESH_INVALID")
            assert player is not None
            return account_service_pb2.RefreshSessionResponse(session=self._tiny.new_session(player))

        return await self._tiny.once(request, context, "", act)


class _Ledger(LedgerServiceServicer):
    def __init__(self, tiny: TinySparrow) -> None:
        self._tiny = tiny

    async def ListBoardEntries(self, request: Any, context: Context) -> Any:  # noqa: N802
        await self._tiny.player(context)
        rows = self._entries()
        start = int(request.page_token or 0)
        end = start + request.page_size
        return ledger_service_pb2.ListBoardEntriesResponse(
            entries=rows[start:end],
            next_page_token=str(end) if end < len(rows) else "",
            window=_window(request.board),
            player_count=len(rows),
        )

    async def GetStandings(self, request: Any, context: Context) -> Any:  # noqa: N802
        caller = await self._tiny.player(context)
        player = caller if request.player == "players/me" else request.player
        own = next((row for row in self._entries() if row.player == player), None)
        boards = [board for board in ledger_pb2.Board.values() if board]
        return ledger_service_pb2.GetStandingsResponse(
            standings=[
                ledger_pb2.Standing(window=_window(board), entry=own if board in POINTS_BOARDS else None)
                for board in boards
            ]
        )

    def _entries(self) -> list[ledger_pb2.BoardEntry]:
        ordered = sorted(self._tiny.points.items(), key=lambda row: (-row[1], row[0]))
        ranks = {points: rank for rank, (_, points) in reversed(list(enumerate(ordered, 1)))}
        return [
            ledger_pb2.BoardEntry(rank=ranks[points], player=player, points=points)
            for player, points in ordered
        ]


def _window(board: int) -> ledger_pb2.BoardWindow:
    if board == ledger_pb2.BOARD_RACE_RATING:
        return ledger_pb2.BoardWindow(board=ledger_pb2.BOARD_RACE_RATING)
    return ledger_pb2.BoardWindow(
        board=ledger_pb2.Board.ValueType(board),
        first_day="2026-11-29",
        last_day="2026-11-29",
        time_zone="Europe/Bucharest",
    )


async def serve_tiny(tiny: TinySparrow, port: int = 0) -> AsyncIterator[tuple[str, grpc.aio.Server]]:
    """Serve it on loopback; yields the target once, and stops the server afterwards."""
    server = grpc.aio.server()
    add_AccountServiceServicer_to_server(_Account(tiny), server)  # type: ignore[abstract]
    add_LedgerServiceServicer_to_server(_Ledger(tiny), server)  # type: ignore[abstract]
    add_MatchServiceServicer_to_server(TinyMatchService(tiny), server)  # type: ignore[abstract]
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{bound}", server
    finally:
        await server.stop(None)
        await asyncio.sleep(0)
