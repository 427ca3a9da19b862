"""The servers that every other test stands on."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit

import asyncpg
import nats
import pytest

from tests.support.servers import Databases, NatsServer, PostgresServer, Server


async def test_a_fresh_database_is_empty_and_in_utc(empty_database_url: str) -> None:
    """A test gets a database of its own in UTF-8, the C locale and UTC, with checksums on."""
    connection = await asyncpg.connect(empty_database_url)
    settings = {
        name: await connection.fetchval(f"SHOW {name}")
        for name in ("server_encoding", "TimeZone", "data_checksums", "password_encryption")
    }
    locale = await connection.fetchval(
        "SELECT datcollate FROM pg_database WHERE datname = current_database()"
    )
    tables = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
    await connection.close()

    assert settings == {
        "server_encoding": "UTF8",
        "TimeZone": "UTC",
        "data_checksums": "on",
        "password_encryption": "scram-sha-256",
    }
    assert (locale, tables) == ("C", 0)


async def test_a_wrong_password_is_refused(postgres_server: Server) -> None:
    """The embedded PostgreSQL asks even local clients for the password."""
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(postgres_server.url, password="wrong")


async def test_jetstream_is_on_and_strangers_are_refused(nats_url: str) -> None:
    """The embedded NATS keeps streams, and only for clients with the password."""
    client = await nats.connect(nats_url)
    account = await client.jetstream().account_info()
    await client.close()

    assert account.limits is not None
    with socket.create_connection(("127.0.0.1", urlsplit(nats_url).port or 0), timeout=5) as stranger:
        stranger.sendall(b'CONNECT {"user": "stranger", "pass": "guess"}\r\nPING\r\n')
        assert b"Authorization Violation" in stranger.makefile("rb").read()


def test_committed_rows_outlive_kill_9_of_postgres() -> None:
    """A crash of PostgreSQL loses nothing that was committed, and the address stays the same."""
    server = PostgresServer(durable=True)
    try:
        server.start()
        url = server.url
        asyncio.run(_execute(url, "CREATE TABLE kept AS SELECT 1 AS value"))
        server.kill()
        server.start()

        assert server.url == url
        assert asyncio.run(_fetch_value(url, "SELECT value FROM kept")) == 1
    finally:
        server.remove()


def test_nats_starts_again_after_kill_9_and_wipe() -> None:
    """NATS comes back on the same address after a crash, also when all it held is gone."""
    server = NatsServer()
    try:
        server.start()
        url = server.url
        server.kill()
        server.wipe()
        server.start()

        assert server.url == url
    finally:
        server.remove()


def test_clones_of_a_template_are_prepared_once(databases: Databases) -> None:
    """Preparing runs once; every database made from it has its content and nobody else's."""
    calls: list[str] = []

    def prepare(url: str) -> None:
        calls.append(url)
        asyncio.run(_execute(url, "CREATE TABLE prepared AS SELECT 7 AS value"))

    first, second = databases.create(prepare), databases.create(prepare)
    asyncio.run(_execute(first, "UPDATE prepared SET value = 8"))

    assert len(calls) == 1
    assert asyncio.run(_fetch_value(second, "SELECT value FROM prepared")) == 7


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


async def _fetch_value(url: str, query: str) -> object:
    connection = await asyncpg.connect(url)
    value = await connection.fetchval(query)
    await connection.close()
    return value
