"""Generations of boards: which one answers, and the moment at which two of them stand at one place."""

from __future__ import annotations

from typing import Final

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told

ACTIVE: Final = "SELECT generation FROM active_generation"


async def active_generation(database: Database) -> int:
    """Return the generation that reads are answered from."""
    with unavailable_is_told():
        generation: int = await database.pool.fetchval(ACTIVE)
    return generation
