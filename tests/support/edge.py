"""A real server on a free port with services of the test's choice, and tokens for every kind of caller."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status
from pydantic import SecretStr

from libs.bus.memory import MemoryBus
from libs.eventstore.postgres.database import Database
from libs.runtime.clients import Clients
from libs.runtime.config import Settings
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.server import Server
from libs.runtime.service import Bind, Runtime
from libs.runtime.systemclock import SteppingClock
from libs.runtime.tokens import Keys, OpaqueTokens, access_token, service_token

START = datetime(2026, 3, 2, 12, tzinfo=UTC)


@cache
def keys_for_tests() -> Keys:
    """Return keys made once per test process."""
    folder = Path(tempfile.mkdtemp(prefix="sparrow-test-"))
    ensure_keys(folder)
    return Keys.load(folder)


@dataclass
class Edge:
    """A running server and what its tests need."""

    server: Server
    settings: Settings
    keys: Keys
    clock: SteppingClock
    runtime: Runtime
    channel: grpc.aio.Channel
    databases: list[Database] = field(default_factory=list)

    def as_player(
        self, account_id: UUID | None = None, session_id: UUID | None = None
    ) -> list[tuple[str, str]]:
        """Return the metadata of a player's call."""
        token, _ = access_token(self.keys, account_id or uuid4(), session_id or uuid4(), self.clock.now())
        return bearer(token)

    def as_service(self, name: str = "match") -> list[tuple[str, str]]:
        """Return the metadata of a service's call."""
        return bearer(service_token(self.keys, name, self.clock.now()))

    def as_operator(self, name: str = "ana") -> list[tuple[str, str]]:
        """Return the metadata of an operator's call."""
        return bearer(self.keys.sign("operator", {"sub": name}, self.clock.now(), timedelta(hours=1)))


def bearer(token: str) -> list[tuple[str, str]]:
    """Return metadata with this token."""
    return [("authorization", f"Bearer {token}")]


@asynccontextmanager
async def serving(
    binds: Sequence[Bind], *, database_url: str | None = None, **settings: Any
) -> AsyncIterator[Edge]:
    """Serve the services until left; time stands unless the test moves it."""
    keys, clock = keys_for_tests(), SteppingClock(START)
    if database_url is not None:
        settings["database_url"] = SecretStr(database_url)
    chosen = Settings(port=free_port(secrets.token_hex(4)), **settings)
    opened: list[Database] = []

    async def open_database(schema: str) -> Database:
        assert database_url is not None, "this test has no database"
        opened.append(await Database.open(database_url, schema, pool_max=chosen.database_pool_max))
        return opened[-1]

    clients, bus, revocations = Clients(chosen, keys, clock), MemoryBus(), Revocations()
    runtime = Runtime(
        settings=chosen,
        clock=clock,
        randomness=secrets.token_bytes,
        holder="test",
        bus=bus,
        open_database=open_database,
        clients=clients,
        keys=keys,
        opaque=OpaqueTokens(keys.derive("opaque-tokens")),
        revocations=revocations,
    )
    services = [await bind(runtime) for bind in binds]
    server = Server(chosen, keys, clock, revocations)
    await server.start(services)
    await server.update_health()
    channel = grpc.aio.insecure_channel(chosen.endpoint, options=[("grpc.use_local_subchannel_pool", 1)])
    try:
        yield Edge(server, chosen, keys, clock, runtime, channel, opened)
    finally:
        await channel.close()
        await clients.close()
        await server.grpc.stop(grace=0)
        for service in services:
            if service.close is not None:
                await service.close()
        for database in opened:
            await database.close()
        await bus.close()


@dataclass(frozen=True)
class Refusal:
    """What a client reads from a failed call."""

    code: grpc.StatusCode
    reason: str
    metadata: dict[str, str]
    field: str | None
    retry_after_ms: int | None
    message: str


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    """Return the details of an error; exactly one ErrorInfo of our domain must be there."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None, f"no details: {error!r}"
    kinds = ("ErrorInfo", "LocalizedMessage", "BadRequest", "RetryInfo")
    found: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for detail in status.details:
        kind = detail.type_url.rpartition(".")[2]
        message = getattr(error_details_pb2, kind)()
        detail.Unpack(message)
        found[kind].append(message)
    (info,) = found["ErrorInfo"]
    assert info.domain == "sparrow"
    violations = [violation for bad in found["BadRequest"] for violation in bad.field_violations]
    retry = found["RetryInfo"]
    return Refusal(
        error.code(),
        info.reason,
        dict(info.metadata),
        violations[0].field if violations else None,
        retry[0].retry_delay.ToMilliseconds() if retry else None,
        error.details() or "",
    )


async def refused(call: Any) -> Refusal:
    """Await a call that must fail; return how."""
    try:
        reply = await call
    except grpc.aio.AioRpcError as error:
        return refusal_of(error)
    raise AssertionError(f"the call succeeded: {reply}")
