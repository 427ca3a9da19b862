"""Running Alembic without its command line: no ini file, no env.py, one transaction for all schemas."""

from __future__ import annotations

from collections.abc import Sequence

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, text
from sqlalchemy.ext.asyncio import create_async_engine

from libs.eventstore.migrations import MIGRATIONS, VERSIONS

LOCK = "sparrow:migrations"


async def run_revisions(database_url: str, schemas: Sequence[str]) -> None:
    """Bring the schemas to their last revisions in one transaction; a second process waits for the first."""
    url = database_url.replace("postgresql://", "postgresql+asyncpg://", 1)
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(
                text("SELECT pg_advisory_xact_lock(hashtextextended(:lock, 0))"), {"lock": LOCK}
            )
            for schema in schemas:
                await connection.run_sync(_run_schema, schema)
    finally:
        await engine.dispose()


def _run_schema(connection: Connection, schema: str) -> None:
    connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
    connection.execute(text(f'SET LOCAL search_path TO "{schema}"'))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("version_locations", str(VERSIONS / schema))
    config.set_main_option("path_separator", "newline")
    script = ScriptDirectory.from_config(config)
    environment = EnvironmentContext(
        config,
        script,
        fn=lambda revision, _context: script._upgrade_revs("head", revision),  # noqa: SLF001 as Alembic's own command does
    )
    with environment:
        environment.configure(connection=connection, version_table_schema=schema)
        environment.run_migrations()
