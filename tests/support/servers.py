"""Real PostgreSQL and NATS for tests: in containers where an engine answers, else from the wheels."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg

from libs.runtime.embedded.nats import EmbeddedNats
from libs.runtime.embedded.postgres import EmbeddedPostgres

T = TypeVar("T")


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


class PostgresServer:
    """An embedded PostgreSQL for tests in a folder of its own: no flushes, hundreds of databases."""

    def __init__(self, *, durable: bool = False) -> None:
        """Choose folder and port; nothing is started."""
        self.folder = _reachable_folder()
        settings = {"max_connections": "300", "shared_buffers": "64MB"}
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
        self.folder = _reachable_folder()
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


def run_apart(work: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine in a thread with an event loop of its own, so that no test's loop is touched."""
    outcome: list[T] = []
    errors: list[BaseException] = []

    async def call() -> T:
        return await work()

    def body() -> None:
        try:
            outcome.append(asyncio.run(call()))
        except BaseException as error:  # noqa: BLE001 raised again below, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]


def docker_answers(timeout_s: float = 0.5) -> bool:
    """Whether a container engine answers a ping on its socket: asked once, in well under a second."""
    address = urlsplit(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    try:
        if address.scheme == "unix":
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout_s)
            connection.connect(address.path)
        else:
            connection = socket.create_connection((address.hostname or "", address.port or 2375), timeout_s)
        with connection:
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return b" 200 " in connection.recv(256)
    except OSError:
        return False


def _reachable_folder() -> Path:
    """Return a new folder that the user who runs PostgreSQL can enter."""
    folder = Path(tempfile.mkdtemp(prefix="sparrow-test-"))
    folder.chmod(0o755)
    return folder
