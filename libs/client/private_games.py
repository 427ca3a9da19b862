"""Private games by invitation code: quick matches and arenas among friends, for no account points."""

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

    async def create(self, kind: QueueKind) -> Waiting:
        """Open a quick match or an arena; the ticket tells the invitation code for the others."""
        request = calls.CreatePrivateGameRequest(queue=QUEUE_TO_WIRE[kind], request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.CreatePrivateGame, request, MOVE_DEADLINE_S)
        return Waiting(self._link, ticket_of(answer.ticket))

    async def join(self, invitation_code: str) -> Waiting:
        """Take a seat.

        Raises RefusedError NOT_FOUND for a code that no game has, INVITATION_EXPIRED for one whose game waits
        no more, and LimitError after too many wrong codes.
        """
        request = calls.JoinPrivateGameRequest(invitation_code=invitation_code, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.JoinPrivateGame, request, MOVE_DEADLINE_S)
        return Waiting(self._link, ticket_of(answer.ticket))
