"""One service's schema as a process sees it: two small pools with one budget, and the ports on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import asyncpg
from sqlalchemy import event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.feed import PostgresFeed
from libs.eventstore.postgres.store import Pool, PostgresEventStore

# A process that was suspended inside a transaction must not keep its locks: a successor is waiting.
IDLE_IN_TRANSACTION_MS = 3_000
POOL_WAIT_S = 5.0

OUTBOX_CACHE = """
SELECT s.seqcache FROM pg_sequence s
WHERE s.seqrelid = pg_get_serial_sequence('outbox', 'pos')::regclass
"""


if TYPE_CHECKING:
    AsyncpgConnection = asyncpg.Connection[asyncpg.Record]
else:
    AsyncpgConnection = asyncpg.Connection


class _Connection(AsyncpgConnection):
    """A connection of the hot pool. Nothing in the store changes session state, so nothing is reset."""

    def get_reset_query(self) -> str:
        """Return no query: it would be one more round trip after each append."""
        return ""


class Database:
    """One service's schema. `pool_max` bounds the connections of both pools together."""

    def __init__(self, schema: str, pool: Pool, engine: AsyncEngine) -> None:
        """Use `open`."""
        self.schema = schema
        self.pool = pool  # for single statements and short transactions of the event core
        self.engine = engine  # for plain rows and projections
        self.store = PostgresEventStore(pool, engine)
        self.feed = PostgresFeed(pool)

    @classmethod
    async def open(cls, url: str, schema: str, *, pool_max: int = 5) -> Database:
        """Open the schema of a migrated database (`postgresql://…`); raise StoreUnavailable when it is away.

        Two fifths of the budget go to transactions and plain rows, the rest to single hot calls.
        """
        assert pool_max >= 2, "each of the two pools needs a connection"
        rows_max = max(1, pool_max * 2 // 5)
        settings = {
            "search_path": schema,
            "timezone": "UTC",
            "application_name": f"sparrow-{schema}",
            "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_MS),
            # A short function called a thousand times a second gains nothing from being compiled.
            "jit": "off",
        }
        with unavailable_is_told():
            pool = await asyncpg.create_pool(
                url,
                min_size=0,  # the pool must not shout while the server is away
                max_size=pool_max - rows_max,
                connection_class=_Connection,
                server_settings=settings,
            )
        database = cls(schema, pool, _engine(url, rows_max, settings))
        try:
            await database._check()
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Close all connections, after those who hold one are done."""
        await self.engine.dispose()
        await self.pool.close()

    async def _check(self) -> None:
        """Refuse a schema in which the order of the outbox would not be the order of the heads."""
        with unavailable_is_told():
            cache = await self.pool.fetchval(OUTBOX_CACHE)
        assert cache == 1, f"outbox.pos of {self.schema} caches {cache} values: streams would lose order"


def _engine(url: str, size: int, settings: dict[str, str]) -> AsyncEngine:
    engine = create_async_engine(
        url.replace("postgresql://", "postgresql+asyncpg://", 1),
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_WAIT_S,
        connect_args={"server_settings": settings},
        hide_parameters=True,  # errors are logged, names and keys of people are not
    )
    event.listen(engine.sync_engine, "checkout", _refuse_closed)
    return engine


def _refuse_closed(dbapi_connection: Any, _record: Any, _proxy: Any) -> None:
    """Make the pool replace connections that died while idle, at no round trip."""
    if dbapi_connection.driver_connection.is_closed():
        raise InvalidatePoolError
