"""Loading tables by the million: their keys and indexes are taken away, and made again once, at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

SETTINGS: Final = {
    "search_path": "ledger",
    "maintenance_work_mem": "512MB",
    "work_mem": "256MB",
    "jit": "off",
}
KEYS: Final = """
    SELECT conrelid::regclass::text AS on_table, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'p' AND conrelid = ANY($1::text[]::regclass[])
"""
INDEXES: Final = """
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE NOT indisprimary AND indrelid = ANY($1::text[]::regclass[])
"""


async def connect(url: str) -> Connection:
    """Return a connection to a ledger that may use memory as loading wants it."""
    return await asyncpg.connect(url, server_settings=SETTINGS)


@asynccontextmanager
async def without_indexes(connection: Connection, *tables: str) -> AsyncIterator[None]:
    """Run the body while these tables have neither keys nor indexes; they get the same ones afterwards."""
    keys = await connection.fetch(KEYS, tables)
    indexes = await connection.fetch(INDEXES, tables)
    await _all(connection, [f"ALTER TABLE {key['on_table']} DROP CONSTRAINT {key['name']}" for key in keys])
    await _all(connection, [f"DROP INDEX {index['name']}" for index in indexes])
    yield
    await _all(
        connection,
        [f"ALTER TABLE {k['on_table']} ADD CONSTRAINT {k['name']} {k['definition']}" for k in keys],
    )
    await _all(connection, [index["definition"] for index in indexes])


async def settle(connection: Connection) -> None:
    """Vacuum, analyse and flush what was loaded: else the next statements pay for it."""
    await connection.execute("VACUUM ANALYZE", timeout=600)
    await connection.execute("CHECKPOINT", timeout=600)


async def _all(connection: Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        await connection.execute(statement, timeout=600)
