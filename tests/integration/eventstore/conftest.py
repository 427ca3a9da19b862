"""Both adapters behind one fixture."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.eventstore.postgres.database import Database
from tests.support.store_contract import Harness, memory_harness, postgres_harness


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The `match` schema of a fresh database."""
    opened = await Database.open(database_url, "match")
    yield opened
    await opened.close()


@pytest.fixture(params=["memory", "postgres"])
def harness(request: pytest.FixtureRequest) -> Harness:
    """A store of either kind; every test of the contract runs on both."""
    if request.param == "memory":
        return memory_harness()
    return postgres_harness(request.getfixturevalue("database"))
