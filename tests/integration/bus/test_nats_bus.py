"""The NATS adapter keeps the bus contract, and survives its server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.bus.nats import NatsBus
from tests.support.bus_contract import BusContract


class TestNatsBus(BusContract):
    """The suite on a real server."""

    @pytest.fixture
    async def bus(self, nats_url: str) -> AsyncIterator[NatsBus]:
        """A connection of its own."""
        bus = await NatsBus.connect(nats_url)
        yield bus
        await bus.close()
