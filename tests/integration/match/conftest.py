"""Match and solitaire behind one real server, on a fresh database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.edge import Edge
from tests.support.level_player import LevelPlayer, levels_served


@pytest.fixture
async def edge(database_url: str) -> AsyncIterator[Edge]:
    """The running server."""
    async with levels_served(database_url) as served:
        yield served


@pytest.fixture
def ana(edge: Edge) -> LevelPlayer:
    """A player."""
    return LevelPlayer(edge)


@pytest.fixture
def ben(edge: Edge) -> LevelPlayer:
    """Another player."""
    return LevelPlayer(edge)
