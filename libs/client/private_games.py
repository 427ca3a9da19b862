"""Private games by invitation: quick matches and arenas for no account points, pool matches for a stake."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from libs.client.calls import MOVE_DEADLINE_S
from libs.client.link import Link
from libs.client.tickets import QUEUE_TO_WIRE, QueueKind, Waiting, ticket_of
from libs.pb.sparrow.match.v1 import private_game_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceAsyncStub


class PrivateGames:
    """Games that begin when all who were invited are there."""

    def __init__(self, link: Link, stub: PrivateGameServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def create(self, kind: QueueKind, *, seats: int = 0, stake: int = 0) -> Waiting:
        """Open a quick match, an arena or a pool match; the ticket tells code and link for the others.

        Of the pool only: 2 to 4 `seats` (0: two), each of which pays the `stake` (0: that of the queue).
        """
        request = calls.CreatePrivateGameRequest(
            queue=QUEUE_TO_WIRE[kind], seats=seats, stake=stake, request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.CreatePrivateGame, request, MOVE_DEADLINE_S)
        return Waiting(self._link, ticket_of(answer.ticket))

    async def join(self, invitation: str, *, stake_max: int = 0) -> Waiting:
        """Take a seat by a code or a link.

        Raises RefusedError NOT_FOUND for a code that no game has, INVITATION_EXPIRED for one whose game waits
        no more, STAKE_HIGHER, with the stake in its metadata, where a pool match is for more than
        `stake_max`, and LimitError after too many wrong codes.
        """
        request = calls.JoinPrivateGameRequest(
            invitation_code=invitation, stake_max=stake_max, request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.JoinPrivateGame, request, MOVE_DEADLINE_S)
        return Waiting(self._link, ticket_of(answer.ticket))
