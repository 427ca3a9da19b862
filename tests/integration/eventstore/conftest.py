"""Both adapters behind one fixture."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.eventstore.postgres.database import Database
from tests.support.store_contract import Harness, empty_event_core, memory_harness, postgres_harness


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `match` schema of a fresh database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


@pytest.fixture(params=["memory", "postgres"])
async def harness(request: pytest.FixtureRequest, module_database_url: str) -> AsyncIterator[Harness]:
    """An empty store of either kind; every test of the contract runs on both."""
    if request.param == "memory":
        yield memory_harness()
        return
    await empty_event_core(module_database_url, "match")
    opened = await Database.open(module_database_url, "match")
    yield postgres_harness(opened)
    await opened.close()
