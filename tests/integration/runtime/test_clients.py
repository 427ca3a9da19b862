"""Calls from service to service."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import grpc
import pytest

from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2 as pb
from libs.pb.sparrow.solitaire.v1.solitaire_service_pb2_grpc import SolitaireServiceStub
from libs.runtime.call import DEADLINE
from libs.runtime.clients import Clients
from libs.runtime.config import Settings
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SteppingClock
from services.solitaire.servicer import SolitaireServicer, bind
from tests.support.edge import START, keys_for_tests, serving


def deal(clients: Clients) -> Any:
    """Call a method for services."""
    return SolitaireServiceStub(clients.channel("solitaire")).DealLevel(pb.DealLevelRequest(level=1))


async def test_calls_are_signed_and_signed_again_before_the_signature_expires() -> None:
    """A service's call is accepted now and ten minutes later."""
    async with serving([bind]) as edge:
        assert (await deal(edge.runtime.clients)).level == 1
        edge.clock.advance(timedelta(minutes=10))
        assert (await deal(edge.runtime.clients)).level == 1


async def test_the_remaining_time_of_the_caller_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call made on behalf of a caller ends when the caller stops waiting."""

    async def endless(self: SolitaireServicer, request: Any, context: Any) -> Any:
        await asyncio.sleep(3_600)

    monkeypatch.setattr(SolitaireServicer, "DealLevel", endless)
    async with serving([bind]) as edge:
        token = DEADLINE.set(asyncio.get_running_loop().time() + 0.3)
        async with asyncio.timeout(30):
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await deal(edge.runtime.clients)
        DEADLINE.reset(token)

    assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_a_service_that_is_away_is_unavailable_in_short_time() -> None:
    """Nobody listens: the call is tried again and then fails as UNAVAILABLE."""
    settings = Settings(port=free_port("nobody"))
    clients = Clients(settings, keys_for_tests(), SteppingClock(START))
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await deal(clients)
    await clients.close()

    assert ended.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_a_draining_server_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """UNAVAILABLE is answered by another attempt, under the same request."""
    attempts = 0
    original = SolitaireServicer.DealLevel

    async def flaky(self: SolitaireServicer, request: Any, context: Any) -> Any:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise ConnectionResetError("the database went away")
        return await original(self, request, context)

    monkeypatch.setattr(SolitaireServicer, "DealLevel", flaky)
    async with serving([bind]) as edge:
        assert (await deal(edge.runtime.clients)).level == 1
    assert attempts == 3


async def test_services_elsewhere_have_addresses_of_their_own() -> None:
    """A named address is used for its service alone."""
    settings = Settings(port=free_port("a"), service_addresses={"ledger": "ledger:7400"})
    clients = Clients(settings, keys_for_tests(), SteppingClock(START))

    assert clients.channel("match") is clients.channel("account")
    assert clients.channel("ledger") is not clients.channel("match")
    await clients.close()
