"""Work on the boards that takes long: how far it is, kept in a row that any process may read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.ledger.projections.generations import Connection

TELL_EVERY_S: Final = 0.5
LOST_AFTER_S: Final = 20.0
"""Work that tells nothing for so long has died."""

KEPT_DAYS: Final = 90
"""So long a request finds the work that it began."""

BEGIN: Final = """
    INSERT INTO board_work (kind, request_id) VALUES ($1, $2)
    ON CONFLICT (request_id) DO NOTHING RETURNING id
"""
FORGET: Final = f"""
    DELETE FROM board_work
    WHERE seen_at < clock_timestamp() - interval '{KEPT_DAYS} days' AND request_id <> $1
"""  # noqa: S608 ours
TELL: Final = """
    UPDATE board_work SET phase = $2, done = $3, total = $4, seen_at = clock_timestamp() WHERE id = $1
"""
END: Final = """
    UPDATE board_work SET ended_at = clock_timestamp(), report = $2::text::jsonb
    WHERE id = $1 AND ended_at IS NULL
"""
LOOK: Final = """
    SELECT id, kind, phase, done, total, report::text,
           extract(epoch FROM clock_timestamp() - seen_at)::float8 AS silent_s
    FROM board_work WHERE request_id = $1
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work as it is told; `report` once it has ended."""

    id: int
    kind: str
    phase: str
    done: int
    total: int
    report: dict[str, Any] | None
    is_lost: bool


class Progress:
    """Where one piece of work is. Parts are timed; each begins where the one before ends."""

    def __init__(self) -> None:
        """Begin with nothing to say."""
        self.phase, self.done, self.total = "starting", 0, 0
        self.parts: list[tuple[str, float]] = []
        self._began = perf_counter()

    def report(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Be in a phase, so far."""
        if phase != self.phase:
            self.end_part()
        self.phase, self.done, self.total = phase, done, total

    def end_part(self) -> None:
        """Close the running phase's time."""
        now = perf_counter()
        self.parts.append((self.phase, now - self._began))
        self._began = now

    @asynccontextmanager
    async def told(self, connection: Connection, work: int) -> AsyncIterator[None]:
        """Write the progress down every now and then, over a connection that does nothing else."""

        async def tell() -> None:
            while True:
                await connection.execute(TELL, work, self.phase, self.done, self.total)
                await asyncio.sleep(TELL_EVERY_S)

        telling = asyncio.create_task(tell())
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)


class WorkRows:
    """The rows of all work, as a service begins and follows them."""

    def __init__(self, database: Database) -> None:
        """Read and write over the hot pool."""
        self._pool = database.pool

    async def begin(self, kind: str, request_id: str) -> int | None:
        """Return the id of new work; None where this request began it before. Forgets work of long ago."""
        with unavailable_is_told():
            await self._pool.execute(FORGET, request_id)
            work: int | None = await self._pool.fetchval(BEGIN, kind, request_id)
        return work

    async def look(self, request_id: str) -> Work:
        """Return how the work stands that a request began."""
        with unavailable_is_told():
            row = await self._pool.fetchrow(LOOK, request_id)
        assert row is not None, "looked at before it began"
        report = None if row["report"] is None else json.loads(row["report"])
        is_lost = report is None and row["silent_s"] > LOST_AFTER_S
        return Work(row["id"], row["kind"], row["phase"], row["done"], row["total"], report, is_lost)

    async def end(self, work: int, why: str) -> None:
        """End work that failed and could not say so itself."""
        with unavailable_is_told():
            await self._pool.execute(END, work, json.dumps({"error": why}))
