"""Playing the same players again after a match: saying yes or no, and hearing what the others say."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S
from libs.client.link import Link
from libs.client.row_streams import RowStream, follow_row
from libs.client.tickets import QUEUE_TO_WIRE, QueueKind
from libs.pb.sparrow.match.v1 import pool_pb2, race_pb2
from libs.pb.sparrow.match.v1 import rematch_pb2 as wire
from libs.pb.sparrow.match.v1 import rematch_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.rematch_service_pb2_grpc import RematchServiceAsyncStub


class RematchState(StrEnum):
    """What came of the offer of a rematch."""

    OPEN = "open"
    BEGUN = "begun"
    DECLINED = "declined"
    """Too many said no."""
    EXPIRED = "expired"
    """Too few said yes in time."""
    ELSEWHERE = "elsewhere"
    """Enough said yes, and too few of them were free when it was to begin."""


class RematchAnswer(StrEnum):
    """What a player said."""

    NONE = "none"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    ELSEWHERE = "elsewhere"
    """Yes; but played, or waited in a queue, when it was to begin."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """The offer of one match that is over; `next_match` is there once BEGUN, `stake` in the pool."""

    match: str
    kind: QueueKind
    state: RematchState
    expire_time: datetime
    answers: Mapping[str, RematchAnswer]
    """By player."""
    stake: int
    next_match: str | None


class Rematches:
    """The offers of this player's matches."""

    def __init__(self, link: Link, stub: RematchServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def get(self, match: str) -> Rematch:
        """The offer of a match as it stands. Raises RefusedError NOT_FOUND where there is none."""
        request = calls.GetRematchRequest(name=match)
        answer = await self._link.calls.unary(self._stub.GetRematch, request, LIST_DEADLINE_S)
        return rematch_of(answer.rematch)

    async def accept(self, match: str) -> Rematch:
        """Say yes. Raises RefusedError REMATCH_OVER, ALREADY_SEATED, ALREADY_QUEUED."""
        request = calls.AcceptRematchRequest(name=match, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.AcceptRematch, request, MOVE_DEADLINE_S)
        return rematch_of(answer.rematch)

    async def decline(self, match: str) -> Rematch:
        """Say no, also to take a yes back. Raises RefusedError REMATCH_OVER."""
        request = calls.DeclineRematchRequest(name=match, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.DeclineRematch, request, MOVE_DEADLINE_S)
        return rematch_of(answer.rematch)

    def follow(self, match: str) -> AsyncGenerator[Rematch, None]:
        """Yield the offer as it stands, whenever it is told of, until something has come of it.

        Streams that break are opened again. Raises UnreachableError once none could be opened for as long as
        retries go on.
        """
        request = calls.WatchRematchRequest(name=match)
        stream = RowStream(
            open=lambda metadata: self._stub.WatchRematch(request, metadata=metadata),
            told=_told,
            is_over=lambda rematch: rematch.state is not RematchState.OPEN,
        )
        return follow_row(self._link, stream)

    async def outcome(self, match: str) -> Rematch:
        """Wait until something has come of the offer."""
        last = await self.get(match)
        async with aclosing(self.follow(match)) as offers:
            async for rematch in offers:
                last = rematch
        return last


def rematch_of(message: wire.Rematch) -> Rematch:
    """Translate an offer."""
    return Rematch(
        match=message.name,
        kind=_KIND_OF[message.queue],
        state=_STATE_OF[message.state],
        expire_time=message.expire_time.ToDatetime(UTC),
        answers={seat.player: _ANSWER_OF[seat.answer] for seat in message.seats},
        stake=message.stake,
        next_match=message.next_match or None,
    )


def offered_until(message: pool_pb2.PoolResult | race_pb2.Race) -> datetime | None:
    """Until when a match that is over offers a rematch; none where it offers none."""
    if not message.HasField("rematch_offer"):
        return None
    return message.rematch_offer.expire_time.ToDatetime(UTC)


def _told(message: calls.WatchRematchResponse) -> Rematch | None:
    return rematch_of(message.rematch) if message.HasField("rematch") else None


_KIND_OF: Final[Mapping[int, QueueKind]] = {queue: kind for kind, queue in QUEUE_TO_WIRE.items()}
_STATE_OF: Final[Mapping[int, RematchState]] = {
    wire.REMATCH_STATE_OPEN: RematchState.OPEN,
    wire.REMATCH_STATE_BEGUN: RematchState.BEGUN,
    wire.REMATCH_STATE_DECLINED: RematchState.DECLINED,
    wire.REMATCH_STATE_EXPIRED: RematchState.EXPIRED,
    wire.REMATCH_STATE_ELSEWHERE: RematchState.ELSEWHERE,
}
_ANSWER_OF: Final[Mapping[int, RematchAnswer]] = {
    wire.REMATCH_ANSWER_UNSPECIFIED: RematchAnswer.NONE,
    wire.REMATCH_ANSWER_ACCEPTED: RematchAnswer.ACCEPTED,
    wire.REMATCH_ANSWER_DECLINED: RematchAnswer.DECLINED,
    wire.REMATCH_ANSWER_ELSEWHERE: RematchAnswer.ELSEWHERE,
}
