"""What an operator's tools ask: the same calls, with a token that the operator key signed."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import grpc

from libs.client.calls import LIST_DEADLINE_S, Bearer, Calls, Retries
from libs.client.channel import open_channel
from libs.client.errors import SignInError
from libs.client.results import BoardKind, BoardWindow, Granted, Profile
from libs.client.wire import BOARD_TO_WIRE, PART_TO_WIRE, granted_of, page_of, profile_of
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.pb.sparrow.account.v1 import account_service_pb2 as account_wire
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.event.v1 import event_service_pb2 as feed_wire
from libs.pb.sparrow.event.v1.event_service_pb2_grpc import FeedServiceStub
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as wire
from libs.pb.sparrow.ledger.v1.ledger_pb2 import ASSET_CHIP, ASSET_JOKER
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.runtime.feed_wire import entry_from_wire


class OperatorClient:
    """A connection that calls with one operator token, for as long as that is valid, or with a bearer's."""

    def __init__(self, target: str, token: str | Bearer, retries: Retries | None = None) -> None:
        """Take the endpoint and the token, or what mints tokens; the first call dials."""
        self._channel = open_channel(target)
        self._calls = Calls(fixed_bearer(token), retries if retries is not None else Retries())
        self._ledger = LedgerServiceStub(self._channel)
        self._feeds = FeedServiceStub(self._channel)
        self._account = AccountServiceStub(self._channel)

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

    async def profile(self, player: str) -> Profile | None:
        """Return a player's profile, or none where nobody has this name ("players/<uuid>")."""
        request = account_wire.BatchGetProfilesRequest(names=[player])
        answer = await self._calls.unary(self._account.BatchGetProfiles, request, LIST_DEADLINE_S)
        return profile_of(answer.profiles[0]) if answer.profiles else None

    async def grant(
        self, player: str, *, jokers: int = 0, chips: int = 0, reason: str, request_id: str
    ) -> Granted:
        """Give a player jokers or chips; the same request again gives nothing more and gets its answer."""
        assert (jokers > 0) != (chips > 0), "a grant is of jokers or of chips"
        request = wire.GrantAssetRequest(
            player=player,
            asset=ASSET_JOKER if jokers else ASSET_CHIP,
            amount=jokers or chips,
            reason=reason,
            request_id=request_id,
        )
        answer = await self._calls.unary(self._ledger.GrantAsset, request, LIST_DEADLINE_S)
        return granted_of(answer.transfer)

    async def feed_head(self, service: str, part: str) -> int:
        """Return the last sequence of a feed: of "match" and "facts", for instance; 0 while it is empty."""
        request = feed_wire.GetFeedHeadRequest(service=service, part=PART_TO_WIRE[part])
        answer = await self._calls.unary(self._feeds.GetFeedHead, request, LIST_DEADLINE_S)
        return answer.last_sequence

    async def feed_source(self, service: str, part: Part) -> str:
        """Return the source of a feed's events, "<site>/<service>"; empty while there is none."""
        request = feed_wire.ReadFeedRequest(
            service=service, part=PART_TO_WIRE[part], from_sequence=1, page_size=1
        )
        answer = await self._calls.unary(self._feeds.ReadFeed, request, LIST_DEADLINE_S)
        return answer.entries[0].event.source if answer.entries else ""

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """Return entries of a feed in order, without a gap, and the end of the feed as it was then."""
        request = feed_wire.ReadFeedRequest(
            service=service, part=PART_TO_WIRE[part], from_sequence=from_sequence, page_size=page_size
        )
        answer = await self._calls.unary(self._feeds.ReadFeed, request, LIST_DEADLINE_S)
        return [entry_from_wire(entry, part) for entry in answer.entries], answer.last_sequence


def fixed_bearer(token: str | Bearer) -> Bearer:
    """Return the bearer of one token, or the one that is given."""
    return _Fixed(token) if isinstance(token, str) else token


class _Fixed:
    """A bearer whose token cannot be renewed."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def token(self) -> str:
        return self._token

    async def renew(self, refused: str) -> None:
        assert refused == self._token
        raise SignInError("TOKEN_INVALID", grpc.StatusCode.UNAUTHENTICATED, "the operator token is refused")
