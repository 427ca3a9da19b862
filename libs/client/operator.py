"""What an operator's tools ask: the same calls, with a token that the operator key signed."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import grpc

from libs.client.calls import LIST_DEADLINE_S, Calls, Retries
from libs.client.channel import open_channel
from libs.client.errors import SignInError
from libs.client.results import BoardKind, BoardWindow
from libs.client.wire import BOARD_TO_WIRE, PART_TO_WIRE, page_of
from libs.pb.sparrow.event.v1 import event_service_pb2 as feed_wire
from libs.pb.sparrow.event.v1.event_service_pb2_grpc import FeedServiceStub
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as wire
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub


class OperatorClient:
    """A connection that calls with one operator token, for as long as that is valid."""

    def __init__(self, target: str, token: str, retries: Retries | None = None) -> None:
        """Take the endpoint and the token; the first call dials."""
        self._channel = open_channel(target)
        self._calls = Calls(_Fixed(token), retries if retries is not None else Retries())
        self._ledger = LedgerServiceStub(self._channel)
        self._feeds = FeedServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        """Use the client in `async with`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._channel.close()

    async def board_window(self, board: BoardKind) -> BoardWindow:
        """Return the days that a board counts now."""
        request = wire.ListBoardEntriesRequest(board=BOARD_TO_WIRE[board], page_size=1)
        return page_of(
            await self._calls.unary(self._ledger.ListBoardEntries, request, LIST_DEADLINE_S)
        ).window

    async def feed_head(self, service: str, part: str) -> int:
        """Return the last sequence of a feed: of "match" and "facts", for instance; 0 while it is empty."""
        request = feed_wire.GetFeedHeadRequest(service=service, part=PART_TO_WIRE[part])
        answer = await self._calls.unary(self._feeds.GetFeedHead, request, LIST_DEADLINE_S)
        return answer.last_sequence


class _Fixed:
    """A bearer whose token cannot be renewed."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def token(self) -> str:
        return self._token

    async def renew(self, refused: str) -> None:
        assert refused == self._token
        raise SignInError("TOKEN_INVALID", grpc.StatusCode.UNAUTHENTICATED, "the operator token is refused")
