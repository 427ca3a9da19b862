"""Calls from service to service: signed, with the caller's remaining time, tried again while UNAVAILABLE."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

import grpc

from libs.runtime.call import remaining_s
from libs.runtime.clock import Clock
from libs.runtime.config import SERVICES, Settings
from libs.runtime.failure import StartupFailure
from libs.runtime.feed_reader import GrpcFeedReader
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import SERVICE_VALID, Keys, service_token
from libs.telemetry.traceparent import KEY as TRACE_KEY
from libs.telemetry.traceparent import TRACEPARENT

UNARY_TIMEOUT_S: Final = 5.0
"""Of a call that no deadline of a caller bounds."""

# Every write is repeat-safe by its request_id, so that trying again is always allowed. A name that leads to
# several replicas is called in turns.
SERVICE_CONFIG: Final = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "methodConfig": [
        {
            "name": [{}],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.05s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
}

Details = grpc.aio.ClientCallDetails
T = TypeVar("T")


class Clients:
    """Channels to the other services, signed as one service."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        clock: Clock | None = None,
        name: str = "sparrow",
        *,
        beside: Collection[str] = SERVICES,
    ) -> None:
        """Sign as `name`; the services `beside` it are served at the settings' endpoint."""
        self._settings = settings
        self._beside = beside
        self._signature = _Signature(keys, clock or SystemClock(), name)
        self._channels: dict[str, grpc.aio.Channel] = {}

    def channel(self, service: str) -> grpc.aio.Channel:
        """Return the channel to a service; services at one address share it. Raises StartupFailure."""
        address = self._settings.service_addresses.get(service)
        if address is None and service not in self._beside:
            raise StartupFailure(f"SPARROW_SERVICE_ADDRESSES does not say where {service} is")
        address = address or self._settings.endpoint
        if address not in self._channels:
            self._channels[address] = grpc.aio.insecure_channel(
                address,
                options=[
                    ("grpc.service_config", json.dumps(SERVICE_CONFIG)),
                    ("grpc.keepalive_time_ms", 30_000),
                    ("grpc.max_reconnect_backoff_ms", 1_000),
                    ("grpc.max_receive_message_length", 32 * 1_024 * 1_024),
                ],
                interceptors=(_SignedUnary(self._signature), _SignedStream(self._signature)),
            )
        return self._channels[address]

    def feed_reader(self, service: str) -> GrpcFeedReader:
        """Return the reader of another service's feed."""
        return GrpcFeedReader(self.channel(service), service)

    async def close(self) -> None:
        """Close all channels; running calls are cancelled."""
        for channel in self._channels.values():
            await channel.close()
        self._channels.clear()


class _Signature:
    """The `authorization` of one service; a token is used for half its life."""

    def __init__(self, keys: Keys, clock: Clock, name: str) -> None:
        self._keys = keys
        self._clock = clock
        self._name = name
        self._token = ""
        self._renew_at = 0.0

    def sign(self, details: Details, timeout_s: float | None) -> Details:
        now = self._clock.now()
        if now.timestamp() >= self._renew_at:
            self._token = service_token(self._keys, self._name, now)
            self._renew_at = now.timestamp() + SERVICE_VALID.total_seconds() / 2
        metadata = grpc.aio.Metadata(*(details.metadata or ()), ("authorization", f"Bearer {self._token}"))
        if (running := TRACEPARENT.get()) is not None:
            metadata.add(TRACE_KEY, running)
        return Details(details.method, timeout_s, metadata, details.credentials, details.wait_for_ready)


class _SignedUnary(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, signature: _Signature) -> None:
        self._signature = signature

    async def intercept_unary_unary(
        self, continuation: Callable[[Details, T], Any], client_call_details: Details, request: T
    ) -> Any:
        timeouts = (client_call_details.timeout, remaining_s())
        timeout_s = min((t for t in timeouts if t is not None), default=UNARY_TIMEOUT_S)
        return await continuation(self._signature.sign(client_call_details, timeout_s), request)


class _SignedStream(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, signature: _Signature) -> None:
        self._signature = signature

    async def intercept_unary_stream(
        self, continuation: Callable[[Details, T], Any], client_call_details: Details, request: T
    ) -> Any:
        details = self._signature.sign(client_call_details, client_call_details.timeout)
        return await continuation(details, request)
