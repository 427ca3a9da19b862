"""A loop's checkpoint as a row of its service's schema, moved in a transaction of its own."""

from __future__ import annotations

from libs.eventstore.checkpoint import advance, claim
from libs.eventstore.position import Reached
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told


class StoredCheckpoint:
    """The row `name`. What has effects in the database moves it with them (`checkpoint.advance`) instead."""

    def __init__(self, database: Database, name: str) -> None:
        """Bind to a row, made by the first claim."""
        self._database, self._name = database, name

    async def claim(self, epoch: int) -> Reached:
        """As the port says."""
        with unavailable_is_told():
            async with self._database.engine.begin() as connection:
                return await claim(connection, self._name, epoch)

    async def advance(self, epoch: int, seq: int, chain: bytes | None = None) -> None:
        """As the port says."""
        with unavailable_is_told():
            async with self._database.engine.begin() as connection:
                await advance(connection, self._name, epoch, seq, chain)
