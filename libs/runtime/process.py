"""One process: it opens what services stand on, binds them, serves and works until told to stop."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from urllib.parse import urlsplit

import asyncpg
import structlog

from libs.bus.instrumented import watched
from libs.bus.memory import MemoryBus
from libs.bus.nats import NatsBus
from libs.bus.port import Bus
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import is_unavailable
from libs.kernel import native
from libs.runtime.clients import Clients
from libs.runtime.clock import Clock
from libs.runtime.config import Settings
from libs.runtime.database_time import DatabaseTime
from libs.runtime.failure import StartupFailure
from libs.runtime.feed_servicer import GRPC_NAME, FeedServicer
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.kernel_state import SLOW
from libs.runtime.loops import keep_running
from libs.runtime.nats_flushing import require_flushing
from libs.runtime.passing import is_passing
from libs.runtime.revocation_beacon import follow_revocations
from libs.runtime.server import Server
from libs.runtime.service import Bind, Loop, Runtime, Service
from libs.runtime.systemclock import DatabaseClock, SystemClock
from libs.runtime.tokens import Keys, OpaqueTokens
from libs.runtime.watching import open_telemetry
from libs.telemetry.loop_lag import measure_loop_lag
from libs.telemetry.telemetry import UNWATCHED

DATABASE_PATIENCE_S = 15.0
DATABASE_RETRY_S = 0.25
_REFUSING = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)

Attempt = Callable[[], Awaitable[None]]
log = structlog.get_logger()


class Process:
    """The composition root of a process with the role serve, work or both."""

    def __init__(self, settings: Settings, keys: Keys, role: str) -> None:
        assert role in ("serve", "work", "both"), role
        self._settings = settings
        self._keys = keys
        self._role = role
        self._telemetry = UNWATCHED
        self._serves = role in ("serve", "both")
        self._works = role in ("work", "both")
        self._stop = asyncio.Event()
        self._loops: list[Loop] = []
        self._holder = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
        self.revocations = Revocations()

    async def run(self, binds: Mapping[str, Bind]) -> None:
        """Run until SIGTERM or SIGINT, then stop in good order. Raises StartupFailure."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._stop.set)
        async with AsyncExitStack() as opened:
            self._telemetry = open_telemetry(self._settings, f"sparrow-{self._role}", opened)
            if self._telemetry.measures:
                self._loops.append(Loop("loop_lag", partial(measure_loop_lag, self._telemetry.meter)))
            clock = await self._open_clock(opened)
            bus = watched(await self._open_bus(opened), self._telemetry)
            services = [
                await self._bind(name, bind, self._runtime(name, binds, clock, bus, opened), opened)
                for name, bind in binds.items()
            ]
            server = self._server(clock) if self._serves else None
            if server is not None:
                self._loops.append(Loop("readiness", server.watch_readiness))
                self._loops.append(await follow_revocations(bus, self.revocations, clock))
                await server.start([*services, *_feed_service(self._settings.site, services)])
            _exempt_from_collection()
            await self._go_on(services, server)

    def _server(self, clock: Clock) -> Server:
        return Server(self._settings, self._keys, clock, self.revocations, self._telemetry)

    async def _go_on(self, services: list[Service], server: Server | None) -> None:
        """Run all loops until the stop, drain, and give the loops the same grace to end."""
        for service in services:
            self._loops.extend(service.serving if self._serves else ())
            self._loops.extend(service.working if self._works else ())
        ended = asyncio.Event()  # serving goes on, with its loops, until the server has drained
        tasks = [asyncio.create_task(keep_running(loop, ended), name=loop.name) for loop in self._loops]
        if not native():
            log.warning("kernel.absent", hint=SLOW)
        log.info("process.started", services=[service.name for service in services], holder=self._holder)
        await self._stop.wait()
        log.info("process.stopping")
        if server is not None:
            await server.drain()
        ended.set()
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=max(1.0, self._settings.drain_grace_ms / 1_000))
            for task in late:
                log.warning("loop.cancelled", loop=task.get_name())
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        log.info("process.stopped")

    def _runtime(
        self, name: str, beside: Collection[str], clock: Clock, bus: Bus, opened: AsyncExitStack
    ) -> Runtime:
        async def open_database(schema: str) -> Database:
            database = await self._patiently_open(schema)
            opened.push_async_callback(database.close)
            return database

        clients = Clients(self._settings, self._keys, clock, name, beside=beside)
        opened.push_async_callback(clients.close)
        return Runtime(
            settings=self._settings,
            clock=clock,
            randomness=secrets.token_bytes,
            holder=self._holder,
            bus=bus,
            open_database=open_database,
            clients=clients,
            keys=self._keys,
            opaque=OpaqueTokens(self._keys.derive("opaque-tokens")),
            revocations=self.revocations,
        )

    async def _bind(self, name: str, bind: Bind, runtime: Runtime, opened: AsyncExitStack) -> Service:
        service = await bind(runtime)
        assert service.name == name, f"{name} calls itself {service.name}"
        if service.close is not None:
            opened.push_async_callback(service.close)
        return service

    async def _open_bus(self, opened: AsyncExitStack) -> Bus:
        """Return the bus; NATS may be away, now and later."""
        bus: Bus
        if self._settings.nats_url is None:
            log.warning("bus.in_memory", hint="SPARROW_NATS_URL names no NATS: other processes hear nothing")
            bus = MemoryBus()
        else:
            if self._settings.nats_monitor_url is not None:
                await require_flushing(self._settings.nats_monitor_url)
            bus = await NatsBus.connect(self._settings.nats_url.get_secret_value(), first_wait_s=1.0)
        opened.push_async_callback(bus.close)
        return bus

    async def _open_clock(self, opened: AsyncExitStack) -> Clock:
        if self._settings.database_url is None:
            return SystemClock()
        time = DatabaseTime(self._settings.database_url.get_secret_value())
        opened.push_async_callback(time.close)
        clock = DatabaseClock(time.ask)
        await self._patiently(clock.take_sample)
        self._loops.append(Loop("clock", clock.keep_sampling))
        return clock

    async def _patiently_open(self, schema: str) -> Database:
        settings = self._settings
        if settings.database_url is None:
            raise StartupFailure("SPARROW_DATABASE_URL names no database: `make run` starts one")
        url = settings.database_url.get_secret_value()
        opened: list[Database] = []

        async def open_once() -> None:
            opened.append(
                await Database.open(
                    url, schema, pool_max=settings.database_pool_max, telemetry=self._telemetry
                )
            )

        try:
            await self._patiently(open_once)
        except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError) as error:
            raise StartupFailure(f"the database has no tables of {schema}: it was not migrated") from error
        return opened[0]

    async def _patiently(self, attempt: Attempt) -> None:
        """Try for some seconds while the database does not answer. Raises StartupFailure."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + DATABASE_PATIENCE_S
        while True:
            try:
                return await attempt()
            except (StoreUnavailable, OSError, asyncpg.PostgresError) as error:
                if isinstance(error, _REFUSING):
                    raise StartupFailure(f"PostgreSQL at {self._where()} refuses us: {error}") from error
                if not (is_passing(error) or is_unavailable(error)):
                    raise
                if loop.time() >= deadline_s or self._stop.is_set():
                    raise StartupFailure(f"PostgreSQL at {self._where()} does not answer: {error}") from error
            await asyncio.sleep(DATABASE_RETRY_S)

    def _where(self) -> str:
        """Return host and port of the database, without user and password."""
        assert self._settings.database_url is not None
        parts = urlsplit(self._settings.database_url.get_secret_value())
        return f"{parts.hostname}:{parts.port or 5432}"


def _exempt_from_collection() -> None:
    """Take what start-up made out of the garbage collector's sight.

    A full round over it would stop the loop for 0.1 s, each time; little of it is garbage.
    """
    gc.freeze()


def _feed_service(site: str, services: Sequence[Service]) -> list[Service]:
    """Return the service that reads the feeds of the others, where one of them has a feed."""
    if all(service.feed is None for service in services):
        return []
    return [Service("feed", (GRPC_NAME,), FeedServicer.of(site, services).register)]
