"""Connections that go away: what is told, and that the next call works again. On PostgreSQL."""

from __future__ import annotations

import asyncio
import random

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from libs.eventstore.port import Appended, StoreUnavailable
from libs.eventstore.postgres.database import IDLE_IN_TRANSACTION_MS, Database
from tests.support.store_contract import append, fact, stream, to

TERMINATE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


async def _terminate_all(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(TERMINATE)
    await connection.close()
    await asyncio.sleep(0.1)


async def test_terminated_idle_connections_are_replaced(database: Database, database_url: str) -> None:
    """After every session was ended, the next append and the next transaction work."""
    await append(database.store, to(1, 0, fact("a")))
    async with database.store.transaction() as transaction:
        await append(transaction, to(2, 0, fact("a")))
    await _terminate_all(database_url)

    assert isinstance(await append(database.store, to(1, 1, fact("b"))), Appended)
    async with database.store.transaction() as transaction:
        assert isinstance(await append(transaction, to(2, 1, fact("b"))), Appended)


async def test_a_session_that_ends_inside_a_transaction_is_told(
    database: Database, database_url: str
) -> None:
    """Rows and appends of a transaction whose session ended raise StoreUnavailable, and nothing is stored."""

    async def lose(*, by_append: bool) -> None:
        async with database.store.transaction() as transaction:
            await append(transaction, to(1, 0, fact("a")))
            await _terminate_all(database_url)
            if by_append:
                await append(transaction, to(1, 1, fact("b")))
            else:
                await transaction.connection.execute(text("SELECT 1"))

    for by_append in (True, False):
        with pytest.raises(StoreUnavailable):
            await lose(by_append=by_append)
    assert await database.store.load(stream(1)) == []


async def test_other_errors_inside_a_transaction_keep_their_name(database: Database) -> None:
    """A broken pipe of something else is not the database's, and a wrong statement is ours."""

    async def fail(error: Exception | None) -> None:
        async with database.store.transaction() as transaction:
            if error is not None:
                raise error
            await transaction.connection.execute(text("SELECT nonsense"))

    with pytest.raises(BrokenPipeError):
        await fail(BrokenPipeError())
    with pytest.raises(Exception, match="nonsense"):
        await fail(None)


async def test_an_error_tells_no_values(database: Database) -> None:
    """What a statement was given may be somebody's name: it stays out of errors, which are logged."""
    with pytest.raises(DBAPIError) as error:
        async with database.engine.connect() as connection:
            await connection.execute(text("SELECT CAST(:name AS text), 1 / 0"), {"name": "Ana Maria"})

    assert "Ana" not in str(error.value)


async def test_a_transaction_left_idle_gives_its_locks_back(database: Database) -> None:
    """A process suspended inside a transaction does not hold others up for longer than the limit."""
    async with database.store.transaction() as suspended:
        await append(suspended, to(1, 0, fact("a")))
        async with asyncio.timeout(2 * IDLE_IN_TRANSACTION_MS / 1000):
            result = await append(database.store, to(1, 0, fact("b")))
        assert isinstance(result, Appended)
        await suspended.rollback()


async def test_a_server_that_is_not_there_is_told() -> None:
    """Opening a database where nobody listens raises StoreUnavailable."""
    with pytest.raises(StoreUnavailable):
        await Database.open("postgresql://sparrow:x@127.0.0.1:1/sparrow", "match")


async def test_calls_cancelled_at_any_moment_leave_no_connection_behind(
    database: Database, database_url: str
) -> None:
    """Scenarios E54 and E55: 1,000 cancelled while connecting, waiting or inside a transaction."""
    chance = random.Random(6652)

    async def call(number: int) -> None:
        if number % 3 == 0:
            await append(database.store, to(number + 10, 0, fact("a")))
        elif number % 3 == 1:
            async with database.store.transaction() as transaction:
                await append(transaction, to(number + 10, 0, fact("a")))
                await transaction.connection.execute(text("SELECT pg_sleep(0.005)"))
        else:
            await database.store.load(stream(number + 10))

    for round_ in range(20):
        if round_ % 5 == 0:
            await _terminate_all(database_url)  # so that many are just connecting
        calls = [asyncio.ensure_future(call(50 * round_ + number)) for number in range(50)]
        await asyncio.sleep(chance.random() * 0.05)
        for each in calls:
            each.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    rows = database.engine.pool
    assert isinstance(rows, QueuePool)

    assert rows.checkedout() == 0
    assert database.pool.get_idle_size() == database.pool.get_size()
    async with asyncio.timeout(10):  # the server hears of closed connections a moment later
        while await database.pool.fetchval(SESSIONS) > 5:  # noqa: ASYNC110 a session that ends sets no event
            await asyncio.sleep(0.05)
    results = await asyncio.gather(
        *(append(database.store, to(number + 10_000, 0, fact("b"))) for number in range(20))
    )
    assert {type(result) for result in results} == {Appended}
