"""Real PostgreSQL and NATS for tests: in containers where an engine answers, else from the wheels."""

from __future__ import annotations

import functools
import os
import shutil
import socket
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg

from libs.runtime.embedded.nats import EmbeddedNats
from libs.runtime.embedded.postgres import EmbeddedPostgres
from tests.support.folders import disk_folder, quick_folder
from tests.support.threads import run_apart


class Server(Protocol):
    """A server that fault tests may crash and start again; its address stays the same."""

    @property
    def url(self) -> str:
        """Where clients connect."""
        ...

    def start(self) -> None:
        """Start and wait until ready."""
        ...

    def stop(self) -> None:
        """Shut down in order."""
        ...

    def kill(self) -> None:
        """Crash: kill -9."""
        ...

    def remove(self) -> None:
        """End the server and delete its data."""
        ...


class PostgresServer:
    """An embedded PostgreSQL for tests in a folder of its own: no flushes, hundreds of databases, in memory.

    A durable one flushes, and is on disk.
    """

    def __init__(self, *, durable: bool = False) -> None:
        """Choose folder and port; nothing is started."""
        self.folder = disk_folder() if durable else quick_folder()
        settings = {"max_connections": "300", "shared_buffers": "64MB"}
        if not durable:
            settings["max_wal_size"] = "256MB"
        self._server = EmbeddedPostgres(
            self.folder, self.folder / "postgres.log", settings=settings, durable=durable
        )

    @property
    def url(self) -> str:
        """`postgresql://…/sparrow`."""
        return self._server.url

    @property
    def pid(self) -> int | None:
        """The server's first process."""
        return self._server.child.pid

    def start(self) -> None:
        """Start, or start again after `kill` or `stop`, and wait until ready."""
        self._server.start()

    def stop(self) -> None:
        """Shut down in order; the data stays."""
        self._server.stop()

    def kill(self) -> None:
        """Kill -9 of the server's first process."""
        self._server.kill()

    def remove(self) -> None:
        """End the server and delete its data."""
        self._server.kill()
        self._server.place.unlock()
        shutil.rmtree(self._server.place.folder, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class NatsServer:
    """An embedded NATS for tests in a folder of its own."""

    def __init__(self) -> None:
        """Choose folder and port; nothing is started."""
        self.folder = disk_folder()
        self._server = EmbeddedNats(self.folder, self.folder / "nats.log")

    @property
    def url(self) -> str:
        """`nats://user:password@127.0.0.1:port`."""
        return self._server.url

    @property
    def pid(self) -> int | None:
        """The server's process."""
        return self._server.child.pid

    def start(self) -> None:
        """Start, or start again after `kill`, `stop` or `wipe`, and wait until ready."""
        self._server.start()

    def stop(self) -> None:
        """Shut down in order; the data stays."""
        self._server.stop()

    def kill(self) -> None:
        """Kill -9 of the server."""
        self._server.kill()

    def wipe(self) -> None:
        """Delete everything JetStream holds; the server must be down."""
        assert not self._server.child.is_running()
        shutil.rmtree(self._server.folder, ignore_errors=True)

    def remove(self) -> None:
        """End the server and delete its data."""
        self._server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Databases:
    """Makes fresh databases on one server, cloned from a template that is prepared once."""

    def __init__(self, server_url: str) -> None:
        """Remember the server; nothing is made."""
        self._server_url = server_url
        self._templates: dict[str, str] = {}

    def create(self, prepare: Callable[[str], None] | None = None) -> str:
        """Return the URL of a fresh database: empty, or a clone of one that `prepare(url)` filled once."""
        if prepare is None:
            return self._create_from("template1")
        key = f"{prepare.__module__}.{prepare.__qualname__}"
        if key not in self._templates:
            url = self._create_from("template1")
            prepare(url)
            self._templates[key] = urlsplit(url).path.lstrip("/")
        return self._create_from(self._templates[key])

    def copy(self, url: str) -> str:
        """Return the URL of a copy of a database that nobody is connected to."""
        return self._create_from(urlsplit(url).path.lstrip("/"))

    def drop(self, url: str) -> None:
        """Drop a database and end its sessions."""
        self._execute(f'DROP DATABASE IF EXISTS "{urlsplit(url).path.lstrip("/")}" WITH (FORCE)')

    def _create_from(self, template: str) -> str:
        name = f"test_{uuid4().hex}"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return urlsplit(self._server_url)._replace(path=f"/{name}").geturl()

    def _execute(self, statement: str) -> None:
        async def run() -> None:
            connection = await asyncpg.connect(self._server_url)
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        run_apart(run)


def started_postgres() -> Server:
    """Return a running PostgreSQL: a container where an engine answers and has the image, else embedded."""
    if docker_answers():
        from tests.support.containers import postgres_container

        return _first_that_starts(postgres_container, PostgresServer)
    return _first_that_starts(PostgresServer)


def started_nats() -> Server:
    """Return a running NATS: in a container where an engine answers and has the image, else embedded."""
    if docker_answers():
        from tests.support.containers import nats_container

        return _first_that_starts(nats_container, NatsServer)
    return _first_that_starts(NatsServer)


def _first_that_starts(make: Callable[[], Server], *others: Callable[[], Server]) -> Server:
    """Start the first server, or the next when it cannot: an engine without a registry has no images."""
    server = None
    try:
        server = make()
        server.start()
    except Exception:
        if server is not None:
            server.remove()
        if not others:
            raise
        return _first_that_starts(*others)
    return server


@functools.cache
def docker_answers(timeout_s: float = 0.5) -> bool:
    """Whether a container engine answers a ping on its socket: asked once, in well under a second."""
    address = urlsplit(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    is_unix = address.scheme == "unix"
    with socket.socket(socket.AF_UNIX if is_unix else socket.AF_INET) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(address.path if is_unix else (address.hostname, address.port or 2375))
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return b" 200 " in connection.recv(256)
        except OSError:
            return False
