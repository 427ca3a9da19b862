"""Asks PostgreSQL for the time, over a connection of its own."""

from __future__ import annotations

from datetime import datetime

import asyncpg

TIMEOUT_S = 2.0


class DatabaseTime:
    """One connection, made on first use and again after it broke."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    async def ask(self) -> datetime:
        """Return the database's time. Raises the driver's errors, and OSError when it is unreachable."""
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(
                self._url, timeout=TIMEOUT_S, server_settings={"application_name": "sparrow-clock"}
            )
        at = await self._connection.fetchval("SELECT clock_timestamp()", timeout=TIMEOUT_S)
        assert isinstance(at, datetime)
        return at

    async def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None and not self._connection.is_closed():
            self._connection.terminate()
