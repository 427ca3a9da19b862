"""How a revoked session comes to be refused in other processes."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack
from datetime import timedelta
from uuid import UUID, uuid4

from libs.pb.sparrow.account.v1 import account_service_pb2 as pb
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.revocation_beacon import SESSIONS_PER_MESSAGE, follow_revocations, tell_revoked
from libs.runtime.systemclock import SteppingClock
from libs.runtime.tokens import ACCESS_VALID
from services.account.loops import readiness, revoked_sessions_loop
from services.account.registry import Registry
from services.account.servicer import bind
from tests.support.edge import START, bearer, serving


async def test_another_process_hears_of_a_revoked_session_even_if_it_starts_later(
    module_database_url: str,
) -> None:
    """The account service repeats each second which sessions ended; who listens from then on refuses them."""
    async with serving([bind], database_url=module_database_url) as edge:
        stub = AccountServiceStub(edge.channel)
        request = pb.SignInRequest(device_key=secrets.token_bytes(16), request_id=str(uuid4()))
        signed_in = await stub.SignIn(request)
        metadata = bearer(signed_in.session.access_token)
        await stub.SignOut(pb.SignOutRequest(request_id=str(uuid4())), metadata=metadata)

        elsewhere = Revocations()
        await follow_revocations(edge.runtime.bus, elsewhere, edge.clock)
        registry = Registry(edge.databases[0], secrets.token_bytes)
        stop = asyncio.Event()
        telling = asyncio.ensure_future(
            revoked_sessions_loop(registry, edge.runtime.bus, edge.clock).run(stop)
        )
        async with asyncio.timeout(10):
            while not elsewhere.count:  # noqa: ASYNC110 it tells nobody
                await asyncio.sleep(0.01)
        stop.set()
        await telling

        (ended,) = await registry.revoked_since(START - timedelta(seconds=1))
        assert signed_in.session.name.endswith(f"/sessions/{ended}")
        assert elsewhere.is_revoked(ended)


async def test_a_process_is_not_ready_before_it_knows_who_was_signed_out(module_database_url: str) -> None:
    """A second process with the account service needs no bus: its readiness asks the database each time."""
    async with serving([bind], database_url=module_database_url) as edge:
        stub = AccountServiceStub(edge.channel)
        registry, elsewhere = Registry(edge.databases[0], secrets.token_bytes), Revocations()

        async def sign_in_and_out() -> UUID:
            request = pb.SignInRequest(device_key=secrets.token_bytes(16), request_id=str(uuid4()))
            session = (await stub.SignIn(request)).session
            request_id = str(uuid4())
            await stub.SignOut(
                pb.SignOutRequest(request_id=request_id), metadata=bearer(session.access_token)
            )
            return UUID(session.name.rpartition("/")[2])

        before = await sign_in_and_out()
        is_ready = readiness(registry, edge.clock, elsewhere)
        assert await is_ready()
        assert elsewhere.is_revoked(before)

        edge.clock.advance(timedelta(minutes=1))
        after = await sign_in_and_out()
        assert not elsewhere.is_revoked(after)
        assert await is_ready()
        assert elsewhere.is_revoked(after)


async def test_a_flood_of_sign_ins_does_not_make_the_service_unready(module_database_url: str) -> None:
    """Readiness gets its answer though all connections of sign-ins are taken."""
    async with serving([bind], database_url=module_database_url) as edge, AsyncExitStack() as flood:
        database = edge.databases[0]
        for _ in range(2):
            await flood.enter_async_context(database.engine.connect())
        is_ready = readiness(Registry(database, secrets.token_bytes), edge.clock, Revocations())

        assert await asyncio.wait_for(is_ready(), 2)


async def test_a_revocation_is_kept_as_long_as_a_token_may_live() -> None:
    """It is forgotten only when no token of the session is valid any more."""
    revocations, session = Revocations(), uuid4()
    revocations.revoke([session], START)
    revocations.forget_expired(START + ACCESS_VALID)
    assert revocations.is_revoked(session)
    revocations.forget_expired(START + ACCESS_VALID + timedelta(minutes=2))
    assert not revocations.is_revoked(session)


async def test_many_revocations_travel_in_several_messages(module_database_url: str) -> None:
    """No message grows beyond what the bus carries, and none is lost on the way."""
    async with serving([]) as edge:
        heard = Revocations()
        await follow_revocations(edge.runtime.bus, heard, SteppingClock(START))
        sessions = [uuid4() for _ in range(SESSIONS_PER_MESSAGE + 5)]
        await tell_revoked(edge.runtime.bus, sessions)
        async with asyncio.timeout(10):
            while heard.count < len(sessions):  # noqa: ASYNC110 it tells nobody
                await asyncio.sleep(0.01)

    assert all(heard.is_revoked(session) for session in sessions)


async def test_expired_sessions_are_deleted_and_live_ones_stay(module_database_url: str) -> None:
    """Housekeeping takes what expired and nothing else."""
    async with serving([bind], database_url=module_database_url) as edge:
        registry = Registry(edge.databases[0], secrets.token_bytes)
        await registry.sign_in(secrets.token_bytes(16), "old", START - timedelta(days=40))
        await registry.sign_in(secrets.token_bytes(16), "new", START)

        assert await registry.delete_expired(START) >= 1
        assert await registry.delete_expired(START) == 0
