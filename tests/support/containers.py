"""PostgreSQL and NATS in containers, where there is an engine; the same face as the embedded ones."""

from __future__ import annotations

import time
from collections.abc import Callable

import asyncpg
from testcontainers.core.container import DockerContainer

from libs.runtime.embedded.ports import free_port
from tests.support.threads import run_apart

POSTGRES_IMAGE = "postgres:18-alpine"
NATS_IMAGE = "nats:2.12-alpine"
_PASSWORD = "for-tests-only"


class ContainerServer:
    """One container on a port that stays its own; created by the first start."""

    def __init__(self, container: DockerContainer, url: str, is_ready: Callable[[str], bool]) -> None:
        """Remember what to start; nothing is started."""
        self._container = container
        self._is_ready = is_ready
        self._created = False
        self.url = url

    def start(self) -> None:
        """Start, or start again after `kill` or `stop`, and wait until ready."""
        if self._created:
            self._container.get_wrapped_container().start()
        else:
            self._container.start()
            self._created = True
        deadline = time.monotonic() + 60
        while not self._is_ready(self.url):
            assert time.monotonic() < deadline, "the container did not become ready"
            time.sleep(0.05)

    def stop(self) -> None:
        """Shut down in order; the data stays."""
        self._container.get_wrapped_container().stop()

    def kill(self) -> None:
        """Kill -9 of the server."""
        self._container.get_wrapped_container().kill()

    def remove(self) -> None:
        """End the container and delete its data."""
        if self._created:
            self._container.stop()


def postgres_container() -> ContainerServer:
    """A PostgreSQL as the embedded one is set up."""
    port = free_port("postgres container")
    container = (
        DockerContainer(POSTGRES_IMAGE)
        .with_env("POSTGRES_USER", "sparrow")
        .with_env("POSTGRES_PASSWORD", _PASSWORD)
        .with_env("POSTGRES_DB", "sparrow")
        .with_env("POSTGRES_INITDB_ARGS", "--locale=C --encoding=UTF8 --data-checksums")
        .with_command("postgres -c fsync=off -c full_page_writes=off -c max_connections=300 -c timezone=UTC")
        .with_bind_ports(5432, port)
    )
    return ContainerServer(
        container, f"postgresql://sparrow:{_PASSWORD}@127.0.0.1:{port}/sparrow", _accepts_sql
    )


def nats_container() -> ContainerServer:
    """A NATS with JetStream and a password."""
    port = free_port("nats container")
    container = (
        DockerContainer(NATS_IMAGE)
        .with_command(f"-js --user sparrow --pass {_PASSWORD}")
        .with_bind_ports(4222, port)
    )
    return ContainerServer(container, f"nats://sparrow:{_PASSWORD}@127.0.0.1:{port}", _answers_nats)


def _accepts_sql(url: str) -> bool:
    async def connect() -> None:
        connection = await asyncpg.connect(url, timeout=2)
        await connection.close()

    try:
        run_apart(connect)
    except (OSError, asyncpg.PostgresError):
        return False
    return True


def _answers_nats(url: str) -> bool:
    import socket
    from urllib.parse import urlsplit

    try:
        with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=2) as connection:
            return b'"jetstream":true' in connection.makefile("rb").readline()
    except OSError:
        return False
