"""A tiny Sparrow on loopback for every test of the client."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.client.calls import Retries
from libs.client.client import SparrowClient
from tests.support.tiny_sparrow import TinySparrow, serve_tiny

PATIENT = Retries(for_s=5.0)


@pytest.fixture
def tiny() -> TinySparrow:
    """The state and the faults of the tiny Sparrow."""
    return TinySparrow()


@pytest.fixture
async def target(tiny: TinySparrow) -> AsyncIterator[str]:
    """Where it listens."""
    async for address, _ in serve_tiny(tiny):
        yield address


@pytest.fixture
async def client(target: str) -> AsyncIterator[SparrowClient]:
    """A player who just signed in."""
    async with await SparrowClient.connect(target, retries=PATIENT) as connected:
        yield connected
