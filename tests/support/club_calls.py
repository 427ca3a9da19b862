"""Players who call ClubService, and a look at what was kept."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import grpc
from google.protobuf.message import Message
from sqlalchemy import text

from libs.pb.sparrow.account.v1 import account_service_pb2 as account_pb
from libs.pb.sparrow.account.v1 import club_pb2
from libs.pb.sparrow.account.v1 import club_service_pb2 as pb
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.account.v1.club_service_pb2_grpc import ClubServiceStub
from tests.support.edge import Edge, Refusal, bearer, refused

OPEN, BY_REQUEST = club_pb2.JOIN_POLICY_OPEN, club_pb2.JOIN_POLICY_BY_REQUEST
BY_INVITATION = club_pb2.JOIN_POLICY_BY_INVITATION
OWNER, OFFICER, MEMBER = club_pb2.CLUB_ROLE_OWNER, club_pb2.CLUB_ROLE_OFFICER, club_pb2.CLUB_ROLE_MEMBER


@dataclass
class PlayerCalls:
    """A signed-in player who calls ClubService; every call has a request_id of its own where it takes one."""

    name: str
    metadata: Any
    edge: Edge

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method."""
        request: Message = getattr(pb, f"{method}Request")(**fields)
        if "request_id" in request.DESCRIPTOR.fields_by_name and "request_id" not in fields:
            request.request_id = str(uuid4())  # type: ignore[attr-defined]
        return getattr(ClubServiceStub(self.edge.channel), method)(request, metadata=self.metadata)

    async def refused(self, method: str, **fields: Any) -> Refusal:
        """Make a call that must fail."""
        return await refused(self.call(method, **fields))

    async def founded(self, policy: Any = OPEN, **fields: Any) -> str:
        """Found a club and return its name."""
        club = club_pb2.Club(
            display_name=fields.pop("display_name", f"Club {secrets.token_hex(6)}"),
            join_policy=policy,
            **fields,
        )
        return str((await self.call("CreateClub", club=club)).club.name)


async def sign_up(edge: Edge) -> PlayerCalls:
    """Return a new player."""
    request = account_pb.SignInRequest(device_key=secrets.token_bytes(32), request_id=str(uuid4()))
    signed_in = await AccountServiceStub(edge.channel).SignIn(request)
    return PlayerCalls(signed_in.profile.name, bearer(signed_in.session.access_token), edge)


async def players(edge: Edge, count: int) -> list[PlayerCalls]:
    """Return new players."""
    return [await sign_up(edge) for _ in range(count)]


async def members(player: PlayerCalls, club: str) -> dict[str, Any]:
    """Return the members of a club with their roles, in the order of joining."""
    listed = await player.call("ListMembers", club=club)
    return {member.player: member.role for member in listed.members}


async def rows(edge: Edge, query: str, **values: Any) -> list[Any]:
    """Return the rows of a query."""
    async with edge.databases[0].engine.connect() as connection:
        return list((await connection.execute(text(query), values)).all())


async def club_events(edge: Edge, club: str) -> list[str]:
    """Return the types of a club's facts, in the order of their recording."""
    found = await rows(
        edge,
        "SELECT type FROM event e JOIN outbox USING (part, stream_id, version) WHERE position(:club IN"
        " encode(data, 'escape')) > 0 ORDER BY outbox.pos",
        club=club.removeprefix("clubs/"),
    )
    return [row.type.removeprefix("sparrow.account.").removesuffix(".v1") for row in found]


async def outcome(call: Awaitable[Any]) -> str:
    """Return OK, or the reason of a refusal."""
    try:
        await call
    except grpc.aio.AioRpcError:
        return (await refused(call)).reason
    return "OK"
