"""Migrations: one chain of revisions and one version table per schema, run by `upgrade`.

How a service adds its own tables: put the next number into the folder of its schema, say
`libs/eventstore/migrations/versions/match/0002_live_seats.py`:

    '''Seats of running attempts.'''
    from libs.eventstore.migrations.statements import run_sql

    revision = "0002"        # the number of the file name
    down_revision = "0001"   # the number before

    def upgrade() -> None:
        run_sql("CREATE TABLE live_seat (account_id uuid PRIMARY KEY, stream_id uuid NOT NULL)")

`run_sql` takes any number of statements; SQLAlchemy's `alembic.op` works as well. Names are not qualified:
the search path is the schema. Revisions go forward only, and one that was released is never edited. A new
schema is a new folder below `versions/`, beginning with a copy of a `0001_event_core.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg

MIGRATIONS = Path(__file__).parent
VERSIONS = MIGRATIONS / "versions"
MONTHS_AHEAD = 2


def upgrade(database_url: str) -> None:
    """Bring every schema of a database (`postgresql://…`) to its last revision: all of them or none.

    Two processes may do it at once: one waits for the other. A database that is up to date costs one
    connection and a few reads.
    """
    # A thread with a loop of its own: callers may or may not be inside a running loop.
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="migrations") as thread:
        thread.submit(asyncio.run, _upgrade(database_url)).result()


def last_revisions() -> Mapping[str, str]:
    """Return the last revision of each schema, read from the file names alone."""
    return {
        folder.name: max(path.name.split("_")[0] for path in folder.glob("[0-9]*_*.py"))
        for folder in sorted(VERSIONS.iterdir())
        if folder.is_dir() and folder.name != "__pycache__"
    }


async def _upgrade(database_url: str) -> None:
    connection: asyncpg.Connection[asyncpg.Record] = await asyncpg.connect(database_url)
    try:
        targets = last_revisions()
        present = {schema: await _present_revision(connection, schema) for schema in targets}
        if present != targets:
            # Alembic and SQLAlchemy take longer to import than the check takes; most starts need neither.
            from libs.eventstore.migrations.run import run_revisions

            await run_revisions(database_url, tuple(targets))
        for schema in targets:
            await connection.execute(f'SET search_path TO "{schema}"')
            await connection.execute("SELECT ensure_partitions(now(), $1)", MONTHS_AHEAD)
    finally:
        await connection.close()


async def _present_revision(connection: asyncpg.Connection[asyncpg.Record], schema: str) -> str | None:
    if await connection.fetchval("SELECT to_regclass($1)", f"{schema}.alembic_version") is None:
        return None
    revision: str | None = await connection.fetchval(f'SELECT version_num FROM "{schema}".alembic_version')  # noqa: S608 a folder's name
    return revision
