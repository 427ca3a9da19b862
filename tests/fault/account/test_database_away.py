"""The database crashes under the account service and comes back."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.eventstore.migrations import upgrade
from libs.pb.sparrow.account.v1 import account_service_pb2 as pb
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from services.account.servicer import bind
from tests.support.edge import Edge, bearer, refused, serving
from tests.support.servers import PostgresServer


@pytest.fixture
def crashing() -> Iterator[PostgresServer]:
    """A durable server of this test's own."""
    server = PostgresServer(durable=True)
    server.start()
    upgrade(server.url)
    yield server
    server.remove()


def sign_in(edge: Edge, device_key: bytes, request_id: str) -> Any:
    """Call SignIn."""
    request = pb.SignInRequest(device_key=device_key, request_id=request_id)
    return AccountServiceStub(edge.channel).SignIn(request, timeout=10)


async def health(edge: Edge) -> int:
    """Ask whether the account service serves."""
    await edge.server.update_health()
    stub: Any = health_pb2_grpc.HealthStub(edge.channel)
    request = health_pb2.HealthCheckRequest(service="sparrow.account.v1.AccountService")
    return int((await stub.Check(request, timeout=10)).status)


async def test_a_crash_is_unavailable_and_what_was_acknowledged_is_there_afterwards(
    crashing: PostgresServer,
) -> None:
    """While the database is away: UNAVAILABLE with RetryInfo, not serving. Then the same requests go on."""
    device, request_id = secrets.token_bytes(32), str(uuid4())
    async with serving([bind], database_url=crashing.url) as edge:
        before = await sign_in(edge, device, request_id)
        await asyncio.to_thread(crashing.kill)

        refusal = await refused(sign_in(edge, secrets.token_bytes(32), str(uuid4())))
        away = await health(edge)
        await asyncio.to_thread(crashing.start)
        after = await sign_in(edge, device, request_id)
        own = await AccountServiceStub(edge.channel).GetProfile(
            pb.GetProfileRequest(name="players/me"), metadata=bearer(before.session.access_token)
        )
        back = await health(edge)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_READY")
    assert refusal.retry_after_ms is not None
    assert (away, back) == (
        health_pb2.HealthCheckResponse.NOT_SERVING,
        health_pb2.HealthCheckResponse.SERVING,
    )
    assert after.session.name == before.session.name
    assert own.profile == before.profile
