"""The event store's port on PostgreSQL: single calls on the hot pool, and transactions that rows share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventstore.port import (
    Appended,
    AppendResult,
    Conflict,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.eventstore.postgres.errors import conflict_stream, is_unavailable, unavailable_is_told
from libs.eventstore.postgres.rows import (
    APPEND,
    EVENT_COLUMNS,
    Row,
    append_arguments,
    as_uuid,
    to_event,
    to_repeated,
)
from libs.eventstore.recording import recorded

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
Rows = Sequence[Row]
Query = Callable[..., Awaitable[Rows]]

LOAD = f"SELECT {EVENT_COLUMNS} FROM event e WHERE stream_id = $1 AND version > $2 ORDER BY version"  # noqa: S608 fixed columns
HEADS = "SELECT stream_id, version FROM stream WHERE stream_id = ANY($1)"
FIND_REQUEST = "SELECT * FROM find_request($1, $2)"
KEEP_REPLY = "SELECT * FROM keep_reply($1, $2, $3, $4, $5)"
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || $1::text, 0))"


class _Appending:
    """`append` and `keep_reply` over anything that runs a query."""

    _query: Query

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """Append to all streams or to none, in one round trip (see the port)."""
        assert reply is None or request is not None, "a reply is kept under a request"
        events = recorded(appends, recorded_at, caller, request)
        try:
            with unavailable_is_told():
                rows = await self._query(APPEND, *append_arguments(appends, events, request, reply))
        except (asyncpg.PostgresError, DBAPIError) as error:
            stream_id = conflict_stream(error, appends[0].stream_id)
            if stream_id is None:
                raise
            return Conflict(stream_id)
        return _earlier(rows, request) or Appended(events)

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """Keep the reply of a command that appends nothing; None when it was kept now."""
        with unavailable_is_told():
            rows = await self._query(
                KEEP_REPLY, request.caller, request.request_id, request.sha256, reply, at
            )
        return _earlier(rows, request)


def _earlier(rows: Rows, request: Request | None) -> Repeated | RequestReused | None:
    """Return what the database says an earlier command with this key did, if there was one."""
    if not rows:
        return None
    assert request is not None
    repeated = to_repeated(rows[0])
    return repeated if repeated.sha256 == request.sha256 else RequestReused()


class PostgresEventStore(_Appending):
    """The log of one service in its schema."""

    def __init__(self, pool: Pool, engine: AsyncEngine) -> None:
        """Use the hot pool for single calls and the engine for transactions."""
        self._pool = pool
        self._engine = engine
        self._query = pool.fetch

    async def load(self, stream_id: UUID, *, after_version: int = 0) -> list[RecordedEvent]:
        """Return the stream's events after a version, in order; an unknown stream has none."""
        with unavailable_is_told():
            rows = await self._pool.fetch(LOAD, stream_id, after_version)
        return [to_event(row) for row in rows]

    async def heads(self, stream_ids: Sequence[UUID]) -> dict[UUID, int]:
        """Return the last versions of the streams that exist."""
        with unavailable_is_told():
            rows = await self._pool.fetch(HEADS, list(stream_ids))
        return {as_uuid(stream_id): version for stream_id, version in rows}

    async def find_request(self, caller: UUID, request_id: str) -> Repeated | None:
        """Return what an earlier command with this key did."""
        with unavailable_is_told():
            rows = await self._pool.fetch(FIND_REQUEST, caller, request_id)
        return to_repeated(rows[0]) if rows else None

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that commits when left without an exception.

        It takes one of the few connections of the engine's pool: never open a second one inside.
        """
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[PostgresTransaction]:
        async with AsyncExitStack() as stack:
            with unavailable_is_told():
                connection = await stack.enter_async_context(self._engine.connect())
                await connection.begin()
            transaction = PostgresTransaction(connection)
            with unavailable_is_told(but_not=OSError):  # that may be of other work inside the transaction
                yield transaction
            if not transaction.is_over:
                with unavailable_is_told():
                    await connection.commit()


class PostgresTransaction(_Appending):
    """One database transaction for appends and plain rows."""

    def __init__(self, connection: AsyncConnection) -> None:
        """Work on a connection whose transaction has begun."""
        self._connection = connection
        self._query = self._run
        self.is_over = False

    @property
    def connection(self) -> AsyncConnection:
        """The SQLAlchemy connection of the same transaction, for plain rows."""
        return self._connection

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """Append inside the transaction; after a Conflict it is rolled back and can only be left."""
        result = await super().append(
            appends, recorded_at=recorded_at, caller=caller, request=request, reply=reply
        )
        if isinstance(result, Conflict):
            await self.rollback()
        return result

    async def lock(self, key: str) -> None:
        """Wait for the exclusive right to `key` until the transaction ends (advisory, per schema)."""
        await self._run(LOCK, key)

    async def rollback(self) -> None:
        """Undo everything; leaving the context afterwards commits nothing."""
        self.is_over = True
        try:
            await self._connection.rollback()
        except DBAPIError as error:
            if not is_unavailable(error):  # else the end of the session has undone it
                raise

    async def _run(self, statement: str, *arguments: Any) -> Rows:
        assert not self.is_over, "the transaction was rolled back"
        with unavailable_is_told():
            return (await self._connection.exec_driver_sql(statement, arguments)).all()
