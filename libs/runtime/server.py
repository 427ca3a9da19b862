"""The gRPC server of a process: its options, health, reflection, and how it stops."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import grpc
import structlog
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from libs.runtime.clock import Clock
from libs.runtime.config import Settings
from libs.runtime.failure import StartupFailure
from libs.runtime.health_servicer import Health
from libs.runtime.interceptors.authentication import Authenticator, Revocations
from libs.runtime.interceptors.edge import Edge
from libs.runtime.interceptors.limits import StreamLimits
from libs.runtime.interceptors.methods import methods_open_to_nobody
from libs.runtime.interceptors.traffic import Traffic
from libs.runtime.pause import pause
from libs.runtime.service import Service
from libs.runtime.tokens import Keys, TokenVerifier
from libs.telemetry.telemetry import UNWATCHED, Telemetry

READY_EVERY_S = 0.5
PING_INTERVAL_MIN_MS = 15_000
CONNECTION_AGE_GRACE_MS = 30_000
ALIVE = "alive"
"""Health entry of the process itself: a database that is away makes services unready, and nobody dead."""
HANDSHAKE_MAX_MS = 10_000

log = structlog.get_logger()


class Server:
    """Serves bound services on one port."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        clock: Clock,
        revocations: Revocations,
        telemetry: Telemetry = UNWATCHED,
    ) -> None:
        self._settings = settings
        self._traffic = Traffic(settings.calls_max, telemetry.meter)
        edge = Edge(
            Authenticator(TokenVerifier(keys), revocations, clock),
            StreamLimits(settings.streams_per_player, settings.streams_max),
            self._traffic,
            settings.message_bytes_max,
            settings.stream_write_timeout_ms / 1_000,
            telemetry,
            settings.default_language,
        )
        self.grpc = grpc.aio.server(interceptors=(edge,), options=_options(settings))
        self._health = Health()
        self._services: list[Service] = []
        self.port = 0

    async def start(self, services: Sequence[Service]) -> None:
        """Register the services and listen. Raises StartupFailure: no audience, port in use."""
        self._services = list(services)
        names = [name for service in services for name in service.grpc_names]
        if closed := methods_open_to_nobody(names):
            raise StartupFailure(f"methods without an audience: {', '.join(closed)}")
        for service in services:
            service.register(self.grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self.grpc)
        self._health.tell(ALIVE, serving=True)
        if self._settings.reflection:
            reflection.enable_server_reflection(
                [*names, health.SERVICE_NAME, reflection.SERVICE_NAME], self.grpc
            )
        address = f"{self._settings.host}:{self._settings.port}"
        try:
            _require_free_port(self._settings.host, self._settings.port)
            self.port = self.grpc.add_insecure_port(address)
        except (OSError, RuntimeError) as error:
            raise StartupFailure(f"cannot listen on {address}: is another program using the port?") from error
        await self.grpc.start()

    async def watch_readiness(self, stop: asyncio.Event) -> None:
        """Keep the health entries true until `stop` is set: one per gRPC service, and "" for all of them."""
        while not stop.is_set():
            await self.update_health()
            await pause(stop, READY_EVERY_S)

    async def update_health(self) -> None:
        """Ask every service whether it is ready, and say so."""
        verdicts = [await _is_ready(service) for service in self._services]
        if self._traffic.draining:
            return
        for service, ready in zip(self._services, verdicts, strict=True):
            for name in service.grpc_names:
                self._health.tell(name, serving=ready)
        self._health.tell("", serving=all(verdicts))

    async def drain(self) -> None:
        """Stop in good order, within the grace: not serving, nothing new, streams told, calls finished."""
        grace_s = self._settings.drain_grace_ms / 1_000
        self._traffic.draining = True
        self._health.leave()
        deadline_s = asyncio.get_running_loop().time() + grace_s
        await asyncio.gather(*(self._end_streams(service, grace_s) for service in self._services))
        left_s = max(0.0, deadline_s - asyncio.get_running_loop().time())
        if not await self._traffic.until_idle(left_s):
            log.warning("server.drain_cut_short", grace_ms=self._settings.drain_grace_ms)
        await self.grpc.stop(grace=0.2)

    async def _end_streams(self, service: Service, grace_s: float) -> None:
        if service.drain is None:
            return
        try:
            await asyncio.wait_for(service.drain(), grace_s)
        except Exception:  # stopping goes on whatever one service meets
            log.exception("service.drain_failed", service=service.name)


def _require_free_port(host: str, port: int) -> None:
    """Raise OSError when somebody listens there: gRPC would print a page about it first."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    socket.create_server((host, port), family=family).close()


async def _is_ready(service: Service) -> bool:
    if service.ready is None:
        return True
    try:
        return await asyncio.wait_for(service.ready(), READY_EVERY_S * 4)
    except Exception as error:  # noqa: BLE001 whatever it is, the service is not ready
        log.warning("service.not_ready", service=service.name, error=type(error).__name__)
        return False


def _options(settings: Settings) -> list[tuple[str, int]]:
    """Return the channel arguments: limits, pings, and the age of connections."""
    options = [
        ("grpc.so_reuseport", 0),  # a port in use is an error, never shared by accident
        ("grpc.max_receive_message_length", settings.received_bytes_max),
        ("grpc.server_handshake_timeout_ms", HANDSHAKE_MAX_MS),
        ("grpc.max_metadata_size", 16 * 1_024),
        ("grpc.max_concurrent_streams", settings.connection_streams_max),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", PING_INTERVAL_MIN_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]
    if settings.connection_age_max_s is not None:
        options.append(("grpc.max_connection_age_ms", settings.connection_age_max_s * 1_000))
        options.append(("grpc.max_connection_age_grace_ms", CONNECTION_AGE_GRACE_MS))
    return options
