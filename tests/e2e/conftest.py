"""One real installation for all end-to-end tests of a process; tests that crash it leave it running again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from libs.client.client import SparrowClient
from tests.support.installation import Installation

QUICK_TABLES = {
    "mcr_hold_ms": 50,
    "mcr_ai_pause_ms": 10,
    "mcr_countdown_ms": 200,
    "mcr_deal_pause_ms": 300,
    "mcr_fill_after_ms": 1_500,
}
"""A deal of MCR takes some seconds, not minutes; limits are those of everybody."""


@pytest.fixture(scope="package")
def installation() -> Iterator[Installation]:
    """A running `python -m services` with a data folder of its own, ended after the last test here."""
    installation = Installation(**QUICK_TABLES)
    try:
        installation.start()
        yield installation
    finally:
        installation.remove()


@pytest.fixture(scope="module")
def sparrow_server(installation: Installation) -> Installation:
    """The installation, with nobody waiting in a queue whom tests before have left there."""
    installation.empty_queues()
    return installation


@pytest.fixture
async def client(sparrow_server: Installation) -> AsyncIterator[SparrowClient]:
    """A new player who just signed in."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as connected:
        yield connected
